"""Stages and warnings that a run keeps."""

import gc

from debruijn_gpu.run import log, stages


def test_many_calls_keep_a_bounded_number_of_stages_and_warnings(monkeypatch):
    monkeypatch.setattr(stages, "MOST_KEPT", 50)

    def call(number: int) -> None:
        with log.stage(f"stage {number}"):
            log.logger.warning("warning %d", number)

    with log.new_run():
        log.configure(-2)
        ours = [one for one in log.logger.handlers if type(one).__module__.startswith("debruijn_gpu")]
        monkeypatch.setattr(log.logger, "handlers", ours)  # those of pytest keep all messages
        for number in range(100):
            call(number)
        gc.collect()
        before = len(gc.get_objects())
        for number in range(100, 3000):
            call(number)
        gc.collect()
        assert len(gc.get_objects()) - before < 1000  # 11,600 without a limit
        run = log.current_run()
        assert max(len(run.stages), len(run.record.messages)) <= 50
        assert run.stages[-1].name == "stage 2999"
        assert run.record.messages[-1].text == "warning 2999"

process DBG_ASSEMBLE {
    tag "$meta.id"
    label 'process_high'

    conda "${moduleDir}/environment.yml"
    container "dbg:latest"

    input:
    tuple val(meta), path(reads)

    output:
    tuple val(meta), path("${prefix}/contigs.fasta")     , emit: contigs
    tuple val(meta), path("${prefix}/scaffolds.fasta")   , emit: scaffolds, optional: true
    tuple val(meta), path("${prefix}/assembly_graph.gfa"), emit: gfa
    tuple val(meta), path("${prefix}/report.tsv")        , emit: report
    tuple val(meta), path("${prefix}/report.html")       , emit: html
    tuple val(meta), path("${prefix}/*_mqc.json")        , emit: multiqc
    tuple val(meta), path("${prefix}/dbg.log")           , emit: log
    path "versions.yml"                                  , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def input = meta.single_end ? "--single ${reads}" : "-1 ${reads[0]} -2 ${reads[1]}"
    """
    dbg assemble \\
        ${input} \\
        --name "${prefix}" \\
        --threads ${task.cpus} \\
        --memory ${task.memory.toMega()}M \\
        ${args} \\
        --outdir "${prefix}"

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        dbg: \$(dbg --version | sed 's/^dbg //')
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir "${prefix}"
    touch "${prefix}"/contigs.fasta "${prefix}"/assembly_graph.gfa "${prefix}"/report.tsv "${prefix}"/report.html
    touch "${prefix}"/general_mqc.json "${prefix}"/dbg.log

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        dbg: \$(dbg --version | sed 's/^dbg //')
    END_VERSIONS
    """
}

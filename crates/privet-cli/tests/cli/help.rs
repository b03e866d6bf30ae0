//! `--help`, `--version`, completions: the first things users see.

use crate::ran::Folder;

#[test]
fn help_is_short_and_names_the_exit_codes() {
    insta::assert_snapshot!(Folder::new().ok("--help"), @r"
    Learn from graphs about people, with privacy guarantees that are true

    Usage: privet [OPTIONS] <COMMAND>

    Commands:
      demo         Show a short tour on built-in data; needs no files
      plan         Estimate accuracy by epsilon and method from public facts, before any budget is spent
      data         List, fetch, inspect, make and convert graphs
      init         Create a project: one privacy budget for all releases about the same people
      status       Show a project's spent and remaining budget and its releases
      train        Train a private model in a project
      predict      Predict for new people, pairs of people or whole graphs
      evaluate     Evaluate a model on held-out private people, with noise, for a price
      count        Count connections, degrees, triangles and the like, with noise and intervals
      forget       Exclude a person's records from all later releases of a project
      collect      Collect locally private reports from devices
      protect      Randomise features, labels or edges, with a privacy card beside the output
      publish      Publish one reusable private graph (HeteroRR)
      embed        Propagate features over the graph to node embeddings
      cluster      Run a job on several processes or machines
      run          Run and measure one of the four systems from data to scores
      account      Compute epsilon from noise, noise from epsilon, or the cost of composed releases
      verify       Recompute a card from its ledger
      audit        Audit the privacy claims of every mechanism
      attack       Attack a system and measure defences
      tune         Tune the settings of a system on validation data
      reproduce    Reproduce the figures and tables of the papers
      completions  Print a completion script for your shell
      self         Check this installation, and write its manual pages

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Output:
          --json          Print the result as JSON, for programs
      -q, --quiet         Print the result and errors only: no notices, no progress
      -v, --verbose       Print each step
          --show-values   Show ids and values of the data in messages, including on commands that
                          release
          --color <WHEN>  When to use colour; `auto` heeds the terminal, NO_COLOR and CLICOLOR

    Examples:
      privet demo                          a tour on built-in data; needs no files
      privet plan --people 20000 --mean-degree 8 --columns 30 --classes 4 --protects people
                                           what to expect, before anything is spent
      privet data list                     the public benchmarks, and which of them are here
      privet data info cora                what is in a benchmark
      privet data info friends.csv.gz      what is in a file of your own
      privet protect edges cora -o noisy.npz --epsilon 2
                                           what may be published, and the card that says why
      privet verify noisy.npz.card.json --explain
      privet embed noisy.npz -o noisy.vec  an embedding per node, as private as what it is made from
      privet run ldp-ge --dataset synthetic --epsilon 1
                                           a private system beside its control and its ceiling

    Exit codes:
      0    done
      1    the data or the machine: a missing or damaged file, a failed download, a card that does
           not follow from its ledger, a broken claim
      2    a command that was not understood
      3    refused, to keep you or your data safe: a file that would run code or expand without end,
           output that exists already, a conversion that would lose something, a release over the
           limit, bounds, ids, columns or classes that were taken from the records, numbers that
           would give no protection, a ledger that was edited
      130  interrupted (Ctrl-C)
    ");
}

#[test]
fn no_arguments_show_the_help() {
    let ran = Folder::new().run("");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("privet demo"), "{}", ran.stderr);
}

#[test]
fn info_help_explains_names_and_options() {
    insta::assert_snapshot!(Folder::new().ok("data info -h"), @r"
    Show what is in a benchmark or in a file of your own

    Usage: privet data info [OPTIONS] <NAME|PATH>

    Arguments:
      <NAME|PATH>  Benchmark, file, folder or archive

    Options:
      -h, --help  Print help (see more with '--help')

    Reading:
          --format <FORMAT>        The file's format; by default it is detected [possible values: csr,
                                   npz, edge-index, parquet, arrow, planetoid, linqs, tu, graphml, jlg,
                                   graph-json, musae, gin-text, pairs, csv, edge-list]
          --directed               Read every line as a directed edge, from left to right
          --undirected             Read every line as an undirected edge
          --keep-self-loops        Keep edges from a node to itself; by default they are dropped and
                                   counted
          --delimiter <DELIMITER>  Column separator of an edge list: one character, `tab` or `space`
          --header <WHETHER>       Whether an edge list begins with column names [possible values: yes,
                                   no, detect]
          --source-column <NAME>   Name of the source column of an edge table
          --target-column <NAME>   Name of the target column of an edge table
          --label-column <NAME>    Name of the label column or node attribute
          --member <NAME>          Dataset to read from an archive that holds several
          --features <FILE>        File of node features
          --labels <FILE>          File of node labels
          --bounds <LOW,HIGH>      Declare the public range of every feature, as you know it without
                                   looking at the records
          --memory <BYTES>         Memory limit, approximate (4G, 500M); the rest is kept in files in
                                   TMPDIR or /var/tmp
          --data-dir <DIR>         Look for benchmarks here first, then in PRIVET_DATA_DIR and your
                                   cache folder

    What is public:
          --nodes <FILE>              File of all ids, one per line in the first column; people without
                                      records are added
          --classes <A,B,...|FILE>    All classes: a list, or a file with one per line
          --columns <N|FILE>          All feature columns: a number, or a file of names, one per line
          --assume-public <FACT,...>  Treat facts read from the records as public (ids, columns,
                                      classes); the card lists them [possible values: ids, columns,
                                      classes]

    Limits, for files from strangers:
          --max-expanded-bytes <BYTES>   Maximum decompressed size of one archive member, in bytes
                                         [default: 16GiB]
          --max-expansion-ratio <TIMES>  Maximum decompression ratio of a member larger than 64 MiB
                                         [default: 1000]
          --max-line-bytes <BYTES>       Maximum length of a text line, in bytes [default: 256MiB]
          --max-nodes <NODES>            Maximum number of nodes that a file may declare without listing
                                         them [default: 134217728]

    Output:
          --json          Print the result as JSON, for programs
      -q, --quiet         Print the result and errors only: no notices, no progress
      -v, --verbose       Print each step
          --show-values   Show ids and values of the data in messages, including on commands that
                          release
          --color <WHEN>  When to use colour; `auto` heeds the terminal, NO_COLOR and CLICOLOR

    A word that names a benchmark (see `privet data list`) means that benchmark, wherever you are;
    anything else is a path, or `-` for standard input. To read your own file or folder called `cora`,
    write ./cora.
    ");
}

#[test]
fn generate_help_shows_the_models() {
    insta::assert_snapshot!(Folder::new().ok("data generate --help"), @r"
    Make a random graph, or Zachary's karate club

    Usage: privet data generate [OPTIONS] <COMMAND>

    Commands:
      sbm              Communities with class-correlated features: a stochastic block model
      barabasi-albert  Growth by preferential attachment (Barabási and Albert 1999)
      erdos-renyi      Every graph of so many edges equally likely (Erdős and Rényi 1959)
      power-law        Degrees that follow a power law
      karate           Zachary's karate club (1977): 34 people, 78 friendships, 2 factions

    Options:
      -h, --help  Print help

    Output:
          --json          Print the result as JSON, for programs
      -q, --quiet         Print the result and errors only: no notices, no progress
      -v, --verbose       Print each step
          --show-values   Show ids and values of the data in messages, including on commands that
                          release
          --color <WHEN>  When to use colour; `auto` heeds the terminal, NO_COLOR and CLICOLOR

    Examples:
      privet data generate sbm --nodes 10000 --classes 5 -o people.npz
      privet data generate barabasi-albert --nodes 1000 | head
      privet data generate karate -o karate.graphml

    The same seed makes the same graph on every machine.
    ");
}

#[test]
fn the_version_is_the_crate_version() {
    let folder = Folder::new();
    assert_eq!(folder.ok("--version"), format!("privet {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_has_help() {
    let folder = Folder::new();
    let commands = [
        "demo",
        "data",
        "data list",
        "data info",
        "data fetch",
        "data generate sbm",
        "protect",
        "protect features",
        "protect labels",
        "protect edges",
        "run",
        "run ldp-ge",
        "run dpar",
        "run dprr",
        "attack poison",
        "attack membership",
        "account gaussian",
        "account compose",
        "verify",
        "audit",
        "tune ldp-ge",
        "reproduce",
    ];
    for command in commands {
        assert!(folder.ok(&format!("{command} --help")).contains("Usage: privet"), "{command}");
    }
}

#[test]
fn completions_for_the_usual_shells() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(folder.ok(&format!("completions {shell}")).contains("privet"), "{shell}");
    }
    folder.fails("completions tcsh", 2, &["tcsh"]);
}

//! The faults: what is wrong, of what, where it was seen, and who notices.

use super::{Catcher, Declared};

macro_rules! faults {
    ($($(#[doc = $wrong:literal])+ $name:ident: $of:literal, $seen:literal, $kind:ident $catcher:literal;)+) => {
        /// A mistake in shipped code that can be switched on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Fault {
            $($(#[doc = $wrong])+ $name,)+
        }

        /// Every fault there is.
        pub const ALL: &[Declared] = &[$(Declared {
            fault: Fault::$name,
            name: stringify!($name),
            wrong: concat!($($wrong),+),
            of: $of,
            seen: $seen,
            caught_by: Catcher::$kind($catcher),
        }),+];
    };
}

faults! {
    // The ledger.

    /// The noise is drawn before the entry is written.
    EntryAfterDraw: "Ledger", "two lines exchanged",
        Test "privet-privacy::ledger the_entry_is_on_disk_before_a_report_is_drawn,the_entry_is_on_disk_before_a_curator_draws,the_entry_is_on_disk_before_anybody_publishes";
    /// The entry stays in memory and never reaches the file.
    EntryInMemoryOnly: "Ledger", "a buffer nobody flushes",
        Test "privet-privacy::ledger the_entry_is_on_disk_before_a_report_is_drawn";
    /// A release is not priced against the limit.
    LimitNotChecked: "Ledger", "one condition turned around",
        Test "privet-privacy::ledger a_spend_over_the_limit_is_refused_and_leaves_no_trace";
    /// Equal releases one after the other are charged once, as when the best of five runs is reported.
    BestOfManyRuns: "Ledger", "every paper that reports its best run",
        Test "privet-privacy::ledger five_runs_cost_five_times_as_much_as_one";
    /// A charge for everyone reaches nobody.
    EveryoneIsNobody: "Ledger", "an empty set for a full one",
        Test "privet-privacy::ledger many_users_cost_one_event_and_the_same_users_twice_cost_two";
    /// Of the groups of users that chose a strength only the first is charged.
    OneGroupCharged: "Ledger", "a loop left early",
        Test "privet-privacy::ledger everybody_pays_what_they_chose";
    /// Users who publish are not recorded.
    PublishersNotCharged: "Ledger", "DPRR's customised setting, printed without them",
        Test "privet-privacy::ledger everybody_pays_what_they_chose";
    /// A ledger whose lines were edited opens.
    ChainNotChecked: "Ledger", "a check that is skipped",
        Test "privet-privacy::ledger an_edited_ledger_does_not_open";
    /// The last entry of a ledger is dropped when it is opened again.
    LastEntryForgotten: "Ledger", "off by one",
        Test "privet-privacy::ledger a_cut_at_any_byte_never_under_counts";
    /// A ledger of one unit opens for another.
    AnyUnitOpens: "Ledger", "a check that is skipped",
        Test "privet-privacy::ledger a_ledger_belongs_to_one_unit_and_one_process";
    /// Two processes spend from one ledger.
    TwoProcessesSpend: "Ledger", "a lock nobody takes",
        Test "privet-privacy::ledger a_ledger_belongs_to_one_unit_and_one_process";
    /// A simulation that goes on draws the noise of its first releases again.
    ReopenedNoiseRepeats: "Ledger", "a counter that begins anew",
        Test "privet-privacy::ledger a_reopened_simulation_does_not_repeat_its_noise";

    // Streams of noise.

    /// Every release has the same key.
    OneKeyForAllReleases: "NoiseRng", "a key that is never filled in",
        Test "privet-privacy noise::rng::tests::all_streams_of_all_releases_differ";
    /// All users of a release read the same stream.
    OneStreamForAllUsers: "NoiseRng", "published code that seeds inside the loop",
        Test "privet-privacy noise::rng::tests::a_users_noise_depends_on_neither_order_nor_range_nor_threads";
    /// Noise replayed from a seed is stamped as private.
    SimulationNotStamped: "NoiseRng", "the stamp forgotten",
        Test "privet-privacy::ledger seeded_noise_is_stamped_wherever_it_could_be_seen";

    // What is claimed.

    /// Every claim of a pure epsilon is half of what was asked for.
    ClaimsHalved: "Ledger", "a factor of 2 on the wrong side",
        Audit "rr";

    // Accountants.

    /// Amplification by subsampling as q times epsilon.
    LinearAmplification: "Basic", "DPAR, section 4: epsilon 1 is 8.7",
        Audit "amplification";
    /// Two stages on one subsample are amplified one by one.
    HalvesAmplifiedApart: "Basic", "DPAR's budget split",
        Test "privet-privacy accountant::amplification::tests::amplifying_halves_separately_understates";
    /// Repeated releases add their epsilons but one delta only.
    DeltasNotAdded: "Basic", "a factor forgotten",
        Test "privet-privacy accountant::basic::tests::adds";
    /// The deltas of approximate releases are not taken off the target.
    DeltasForgotten: "ZeroConcentrated", "a term forgotten",
        Test "privet-privacy::accountants a_release_with_a_delta_leaves_less_of_it";
    /// A pure release counts an eighth of the square of epsilon: the rule for bounded range.
    PureTakenForBoundedRange: "ZeroConcentrated", "a line too far down the table",
        Test "privet-privacy::accountants pure_releases_have_their_concentration";
    /// The order of a Rényi divergence stands where the order less one belongs.
    OrderTakenForExcess: "Renyi", "off by one",
        Test "privet-privacy accountant::rdp::tests::matches_published_epsilons";
    /// Privacy losses are rounded down to the grid.
    LossesRoundedDown: "Pld", "floor for ceil",
        Test "privet-privacy accountant::pld::pair::tests::splits_without_losing_mass";
    /// What proves its input with certainty is left out of the sum.
    CertaintyForgotten: "Pld", "mass that falls off the grid",
        Test "privet-privacy::accountants a_release_with_a_delta_leaves_less_of_it";
    /// Many Gaussian releases cost as much as one.
    RepetitionsFree: "AnalyticGaussian", "a count forgotten",
        Test "privet-privacy accountant::analytic_gaussian::tests::matches_published_values";
    /// Many equal releases cost as much as one.
    OneReleaseOfMany: "Optimal", "a count forgotten",
        Test "privet-privacy accountant::optimal::tests::matches_the_printed_sum";
    /// The closed formula for equal shares is used beyond its range.
    ClosedFormTrusted: "Optimal", "DPAR, Theorem 1 at epsilon 80: delta 0.0107 for 0.001",
        Test "privet-privacy accountant::optimal::tests::the_closed_form_is_refused_where_it_is_false";
    /// The delta of a group grows with its size alone.
    GroupDeltaLinear: "convert", "a factor e^epsilon forgotten",
        Test "privet-privacy accountant::convert::tests::replacing_is_removing_and_adding";
    /// The epsilon of one list is claimed for a relationship, which two lists tell.
    RelationshipChargedOnce: "convert", "DPRR, section 3: 1 is 2",
        Test "privet-privacy accountant::convert::tests::a_relationship_is_told_twice";
    /// Two people's budgets are taken for twice the smaller one.
    SmallerBudgetTwice: "convert", "DPRR's customised setting: 0.4 is 2.2",
        Test "privet-privacy accountant::convert::tests::a_relationship_is_told_twice";
    /// A node that several rows read is accounted as one row.
    MixtureOfOneRow: "Pld", "DPAR, Theorem 2",
        Audit "mixture-of-gaussians";
    /// Replaced rows are taken to move by the clip norm, not by twice that.
    ReplacedRowsMoveByOne: "Pld", "published code",
        Test "privet-privacy::accountants noise_when_nodes_are_replaced";

    // Training.

    /// The batch of the first step is used again in every step.
    BatchReused: "DpSgd", "DPAR's published code: epsilon 5.56 is 12.78",
        Test "privet-privacy sgd::tests::a_batch_says_nothing_about_the_next";
    /// Noise is added in the first step only.
    NoiseOnFirstStepOnly: "DpSgd", "noise drawn outside the loop",
        Test "privet-privacy sgd::tests::every_step_has_noise_of_its_own";
    /// The sum of the batch is clipped, not every row.
    SumClippedNotRows: "DpSgd", "many a first attempt",
        Audit "dp-sgd";
    /// The first row of a batch is not clipped.
    FirstRowNotClipped: "DpSgd", "off by one",
        Audit "dp-sgd";
    /// Noise of deviation sigma, whatever the clip norm.
    NoiseIgnoresClipNorm: "DpSgd", "published code",
        Audit "dp-sgd";
    /// The noise is divided by the size of the batch before the mean divides it again.
    NoiseDividedTwice: "DpSgd", "DPAR, Algorithm 2",
        Test "privet-privacy sgd::tests::the_noise_has_its_deviation";
    /// The sum is divided by the number of rows drawn, which is secret.
    DividedByDrawnSize: "DpSgd", "most published code",
        Test "privet-privacy sgd::tests::the_size_of_a_batch_is_not_divided_out";
    /// One step is charged for all.
    OneStepCharged: "DpSgd", "a count forgotten",
        Test "privet-privacy::sgd a_private_logistic_regression_learns_and_its_card_says_what_it_cost";
    /// A person's own row is not counted among the rows that read it.
    OwnRowNotCounted: "DpSgd", "DPAR: epsilon 1 is 1.64",
        Test "privet-privacy sgd::tests::the_event_follows_from_unit_batch_and_share";
    /// A node that several rows read is charged as one row.
    HubCountedAsOneRow: "DpSgd", "DPAR, Theorem 2",
        Test "privet-privacy sgd::tests::the_event_follows_from_unit_batch_and_share";
    /// Neighbours' rows are charged as if they vanished with the person they read.
    NeighboursRowsVanish: "DpSgd", "GraphSAGE with DP-SGD, as often charged",
        Test "privet-privacy sgd::tests::the_event_follows_from_unit_batch_and_share";
    /// A replaced row is taken to move by the clip norm, not by twice that.
    ReplacedRowMovesByC: "DpSgd", "published code",
        Test "privet-privacy sgd::tests::the_event_follows_from_unit_batch_and_share";

    // Who is near whom, and sums over neighbours.

    /// Two clipped rows are taken to be C apart, not the square root of 2 times C.
    RootOfTwoDropped: "DpAppr", "DPAR, Theorem 3",
        Test "privet-privacy appr::tests::costs_are_those_of_the_table";
    /// A pick by Gumbel noise of scale C/epsilon is charged epsilon: scores move both ways.
    PicksChargedHalf: "DpAppr", "DPAR, Algorithm 1: 1 is 1.99",
        Test "privet-privacy appr::tests::the_charge_is_above_the_exact_loss_of_two_picks_of_five";
    /// One of the K names of a row is charged.
    OnePickPerRowCharged: "DpAppr", "a count forgotten",
        Test "privet-privacy appr::tests::the_charge_is_above_the_exact_loss_of_two_picks_of_five";
    /// Scores are released beside the names for nothing.
    NoisyScoresNotCharged: "DpAppr", "a term forgotten",
        Test "privet-privacy appr::tests::names_and_scores_are_charged_both";
    /// Only nodes that are present can be named.
    OnlyPresentNodesPicked: "DpAppr", "DPAR's published code: a name proves that somebody is there",
        Audit "dp-appr";
    /// Scores of near nodes are not clipped.
    ScoresNotClipped: "DpAppr", "a line left out",
        Audit "dp-appr";
    /// Rows with Gaussian noise are not clipped.
    RowsNotClipped: "DpAppr", "a line left out",
        Audit "dp-appr";
    /// A node's own sum is left out of the sensitivity.
    OwnSumNotCounted: "NoisySums", "GAP, with node-level noise",
        Audit "noisy-sums";
    /// An edge is counted in one of the two sums that it moves.
    EdgeCountedInOneSum: "NoisySums", "directed graphs' rule on undirected ones",
        Audit "noisy-sums";
    /// A replaced node is charged as an absent one.
    ReplacedNodeAsAbsent: "NoisySums", "two relations taken for one",
        Audit "noisy-sums";
    /// One hop is charged for all.
    OneHopCharged: "NoisySums", "a count forgotten",
        Audit "noisy-sums";
    /// Rows are summed as they are, not at norm 1.
    RowsNotNormalised: "NoisySums", "a line left out",
        Test "privet-privacy aggregation::tests::sums_are_of_unit_rows_cut_to_the_ball";
}

//! The faults: what is wrong, of what, where it was seen, and who notices.

use super::{Catchers, FaultEntry};

macro_rules! faults {
    ($($(#[doc = $wrong:literal])+ $name:ident: $of:literal, $seen:literal, $($by:ident $catcher:literal),+;)+) => {
        /// A mistake in shipped code that can be switched on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Fault {
            $($(#[doc = $wrong])+ $name,)+
        }

        /// Every fault there is.
        pub const ALL: &[FaultEntry] = &[$(FaultEntry {
            fault: Fault::$name,
            name: stringify!($name),
            wrong: concat!($($wrong),+),
            of: $of,
            seen: $seen,
            caught_by: Catchers::NONE$(.$by($catcher))+,
        }),+];
    };
}

faults! {
    // The ledger.

    /// The noise is drawn before the entry is written.
    EntryAfterDraw: "Ledger", "two lines exchanged",
        tests "privet-privacy::ledger the_entry_is_on_disk_before_a_report_is_drawn,the_entry_is_on_disk_before_a_curator_draws,the_entry_is_on_disk_before_a_user_publishes";
    /// The entry stays in memory and never reaches the file.
    EntryInMemoryOnly: "Ledger", "a buffer that is never flushed",
        tests "privet-privacy::ledger the_entry_is_on_disk_before_a_report_is_drawn";
    /// A release is not priced against the limit.
    LimitNotChecked: "Ledger", "one condition turned around",
        tests "privet-privacy::ledger a_spend_over_the_limit_is_refused_and_leaves_no_trace";
    /// Equal releases one after the other are charged once, as when the best of five runs is reported.
    BestOfManyRuns: "Ledger", "every paper that reports its best run",
        tests "privet-privacy::ledger five_runs_cost_five_times_as_much_as_one";
    /// A charge for everyone reaches no user.
    EveryoneIsNobody: "Ledger", "an empty set for a full one",
        tests "privet-privacy::ledger many_users_cost_one_event_and_the_same_users_twice_cost_two";
    /// Of the groups of users that chose a strength only the first is charged.
    OneGroupCharged: "Ledger", "a loop left early",
        tests "privet-privacy::ledger each_user_pays_what_they_chose";
    /// Users who publish are not recorded.
    PublishersNotCharged: "Ledger", "DPRR's customised setting, printed without them",
        tests "privet-privacy::ledger each_user_pays_what_they_chose";
    /// A ledger whose lines were edited opens.
    ChainNotChecked: "Ledger", "a check that is skipped",
        tests "privet-privacy::ledger an_edited_ledger_does_not_open";
    /// The last entry of a ledger is dropped when it is opened again.
    LastEntryForgotten: "Ledger", "off by one",
        tests "privet-privacy::ledger a_cut_at_any_byte_never_under_counts";
    /// A ledger of one unit opens for another.
    AnyUnitOpens: "Ledger", "a check that is skipped",
        tests "privet-privacy::ledger a_ledger_belongs_to_one_unit_and_one_process";
    /// A count in another place is written and never asked.
    WitnessNotAsked: "Ledger", "a check that is skipped",
        tests "privet-privacy::ledger several::a_folder_restored_from_an_older_copy_is_noticed_from_outside";
    /// The next entry does not look whether the count in another place has moved on: two copies make it.
    CountNotCompared: "Ledger", "two copies of a project, each released from a limit of one",
        tests "privet-privacy::ledger several::a4_copies_cannot_both_spend";
    /// The count in another place is compared and replaced without a lock.
    CountNotLocked: "Ledger", "a comparison and a write, and time between them",
        tests "privet-privacy::ledger several::a4_an_entry_waits_for_the_count";
    /// Copies of a project spend at the same time: the lock outside of the folder is not taken.
    CopiesSpendTogether: "Project", "a lock that is copied with what it locks",
        tests "privet project::tests::a4_one_copy_spends_at_a_time";
    /// A spend does not look at other projects about the same people.
    OtherProjectsNotAsked: "Project", "a look at init, and none afterwards",
        tests "privet project::tests::recognised::a5_every_spend_looks_at_other_projects";
    /// Other projects are compared by 256 hashes.
    PeopleSampled: "Project", "a sketch, which cannot show a hundred people in a million",
        tests "privet project::outside::holders::tests::a5_a_few_people_in_many_are_found";
    /// A release outside of a project does not look whose people it is about.
    ReleaseAsksNoProject: "Project", "`protect` from another folder on a project's table",
        tests "privet project::tests::recognised::a5_a_release_outside_knows_the_people_of_projects";
    /// What other accounts of the same relation have spent does not count.
    CeilingNotHeeded: "Ledger", "two accounts of one person, each with the whole limit",
        tests "privet-privacy::ledger several::what_others_have_spent_is_not_there_to_spend";
    /// Two processes spend from one ledger.
    TwoProcessesSpend: "Ledger", "a lock that is never taken",
        tests "privet-privacy::ledger a_ledger_belongs_to_one_unit_and_one_process";
    /// A simulation that goes on draws the noise of its first releases again.
    ReopenedNoiseRepeats: "Ledger", "a counter that begins anew",
        tests "privet-privacy::ledger a_reopened_simulation_does_not_repeat_its_noise";

    /// A ledger that lost whole lines opens.
    LostEntriesUnnoticed: "Ledger", "a ledger cut at the end of a line",
        tests "privet-privacy::ledger a_ledger_that_lost_entries_does_not_open,cards_remember_what_a_ledger_lost";
    /// A charge for everyone reaches people who do not exist, and lends their epsilon to those who do.
    EveryoneReachesTooFar: "Ledger", "an account used up, then published from",
        tests "privet-privacy::cards people_who_publish_come_first_and_no_number_hides_them";

    // Inputs.

    /// Files and data that an argument brings are compared with no project.
    InputNotGuarded: "InputGuard", "privet evaluate --public customers.csv, exact and for nothing",
        tests "privet project::guard::tests::a1_one_protected_person_is_enough,project::guard::tests::a1_every_name_of_a_table_is_refused";
    /// The first person of a table is not compared with the protected ones.
    FirstPersonNotCompared: "InputGuard", "off by one: the first row taken for the names of columns",
        tests "privet project::guard::tests::a1_one_protected_person_is_enough";

    // Cards.

    /// A printed loss leaves out what its number depends on.
    ConditionsLeftOut: "Card", "the last line of `run dpar --method gap`, without its bound on neighbours",
        tests "privet-privacy card::stated::tests::a6_every_condition_is_in_the_printed_line";
    /// A card beside a file passes although it was issued for another file in the same folder.
    CardOfAnotherFile: "Card", "the card of one release copied over that of another",
        tests "privet cardfile::verify::tests::a7_a_card_beside_another_file_is_refused";
    /// An attacker's success is computed from one (epsilon, delta) alone where the card has the whole profile.
    ProfileNotHeeded: "Card", "a plan promised 8 of 100, the card of the same model 55",
        tests "privet-privacy card::text::plain::tests::a7_the_profile_of_a_card_bounds_what_is_found";
    /// If all users publish the card says epsilon 0.
    PublishingIsFree: "Card", "the largest of no numbers is 0",
        tests "privet-privacy::cards people_who_publish_come_first_and_no_number_hides_them";
    /// Guarantees about parts of one record are not added.
    PartsNotAdded: "Card", "features and label at epsilon 1 each",
        tests "privet-privacy::cards what_a_record_costs_in_all_is_said_first";
    /// A file of the right length passes for the one the card was issued for.
    FilesNotHashed: "Card", "raw data written over a release",
        tests "privet-privacy::cards files_must_be_what_the_card_was_issued_for";
    /// Any signature will do.
    SignatureNotChecked: "Card", "a check that is skipped",
        tests "privet-privacy card::key::tests::any_change_breaks_the_signature";

    // Streams of noise.

    /// Every release has the same key.
    OneKeyForAllReleases: "NoiseRng", "a key that is never filled in",
        audits "noise-releases",
        tests "privet-privacy noise::rng::tests::all_streams_of_all_releases_differ";
    /// All users of a release read the same stream.
    OneStreamForAllUsers: "NoiseRng", "published code that seeds inside the loop",
        audits "noise-streams",
        tests "privet-privacy noise::rng::tests::a_users_noise_depends_on_neither_order_nor_range_nor_threads";
    /// Every part of a release reads the streams of its first part.
    PartsBeginAnew: "Ledger", "a loop over parts that counts each from 0",
        audits "sums-in-shares",
        tests "privet-privacy ledger::parts::tests::parts_and_shares_are_the_whole";
    /// Noise replayed from a seed is stamped as private.
    SimulationNotStamped: "NoiseRng", "the stamp forgotten",
        tests "privet-privacy::ledger seeded_noise_is_stamped_wherever_it_could_be_seen";

    // What is claimed.

    /// Every claim of a pure epsilon is half of what was asked for.
    ClaimsHalved: "Ledger", "a factor of 2 on the wrong side",
        audits "rr dprr hds feature-rr label-rr answer-rr laplace coin-flip edge-rand edge-rr";

    // Accountants.

    /// Amplification by subsampling as q times epsilon.
    LinearAmplification: "Basic", "DPAR, section 4: epsilon 1 is 8.7",
        audits "amplification";
    /// Two stages on one subsample are amplified one by one.
    HalvesAmplifiedApart: "Basic", "DPAR's budget split",
        tests "privet-privacy accountant::amplification::tests::amplifying_halves_separately_understates";
    /// Repeated releases add their epsilons but one delta only.
    DeltasNotAdded: "Basic", "a factor forgotten",
        tests "privet-privacy accountant::basic::tests::adds";
    /// The deltas of approximate releases are not taken off the target.
    DeltasForgotten: "ZeroConcentrated", "a term forgotten",
        tests "privet-privacy::accountants a_release_with_a_delta_leaves_less_of_it";
    /// A pure release counts an eighth of the square of epsilon: the rule for bounded range.
    PureTakenForBoundedRange: "ZeroConcentrated", "a line too far down the table",
        tests "privet-privacy::accountants pure_releases_have_their_concentration";
    /// The order of a Rényi divergence stands where the order less one belongs.
    OrderTakenForExcess: "Renyi", "off by one",
        tests "privet-privacy accountant::rdp::tests::matches_published_epsilons";
    /// Privacy losses are rounded down to the grid.
    LossesRoundedDown: "Pld", "floor for ceil",
        tests "privet-privacy accountant::pld::pair::tests::splits_without_losing_mass";
    /// What proves its input with certainty is left out of the sum.
    CertaintyForgotten: "Pld", "mass that falls off the grid",
        tests "privet-privacy::accountants a_release_with_a_delta_leaves_less_of_it";
    /// Many Gaussian releases cost as much as one.
    RepetitionsFree: "AnalyticGaussian", "a count forgotten",
        tests "privet-privacy accountant::analytic_gaussian::tests::matches_published_values";
    /// Many equal releases cost as much as one.
    OneReleaseOfMany: "Optimal", "a count forgotten",
        tests "privet-privacy accountant::optimal::tests::matches_the_printed_sum";
    /// The closed formula for equal shares is used beyond its range.
    ClosedFormTrusted: "Optimal", "DPAR, Theorem 1 at epsilon 80: delta 0.0107 for 0.001",
        tests "privet-privacy accountant::optimal::tests::the_closed_form_is_refused_where_it_is_false";
    /// The delta of a group grows with its size alone.
    GroupDeltaLinear: "convert", "a factor e^epsilon forgotten",
        tests "privet-privacy accountant::convert::tests::replacing_is_removing_and_adding";
    /// The epsilon of one list is claimed for a relationship, which two lists tell.
    RelationshipChargedOnce: "pairs", "DPRR, section 3: 1 is 2",
        tests "privet-privacy ledger::pairs::tests::what_is_sent_decides";
    /// Two people's budgets are taken for twice the smaller one.
    SmallerBudgetTwice: "pairs", "DPRR's customised setting: 0.4 is 2.2",
        tests "privet-privacy ledger::pairs::tests::the_worst_pair_is_of_two_people";
    /// A relationship with a user who publishes their list is left out of the figures.
    PublishedPairsLeftOut: "pairs", "59 of 60 people publish: relationship-dp 0 was printed",
        tests "privet-privacy ledger::pairs::tests::a2_a_relationship_with_a_publisher_is_not_protected";
    /// A node that several rows read is accounted as one row.
    MixtureOfOneRow: "Pld", "DPAR, Theorem 2",
        audits "mixture-of-gaussians";
    /// Replaced rows are taken to move by the clip norm, not by twice that.
    ReplacedRowsMoveByOne: "Pld", "published code",
        tests "privet-privacy::accountants noise_when_nodes_are_replaced";

    // Training.

    /// The batch of the first step is used again in every step.
    BatchReused: "DpSgd", "DPAR's published code: epsilon 5.56 is 12.78",
        audits "dp-sgd-batches",
        tests "privet-privacy sgd::tests::a_batch_says_nothing_about_the_next";
    /// Noise is added in the first step only.
    NoiseOnFirstStepOnly: "DpSgd", "noise drawn outside the loop",
        audits "dp-sgd",
        tests "privet-privacy sgd::tests::every_step_has_noise_of_its_own";
    /// The sum of the batch is clipped, not every row.
    SumClippedNotRows: "DpSgd", "many a first attempt",
        audits "dp-sgd",
        tests "privet-privacy sgd::tests::the_noise_has_its_deviation";
    /// Only the first layer's gradient is measured: of sums by class, how many there are is added on top.
    LastLayerNotClipped: "DpSgd", "class sums that forget the column of counts",
        audits "class-sums";
    /// The first row of a batch is not clipped.
    FirstRowNotClipped: "DpSgd", "off by one",
        audits "dp-sgd";
    /// Noise of deviation sigma, whatever the clip norm.
    NoiseIgnoresClipNorm: "DpSgd", "published code",
        audits "dp-sgd",
        tests "privet-privacy sgd::tests::the_noise_has_its_deviation";
    /// The noise is divided by the size of the batch before the mean divides it again.
    NoiseDividedTwice: "DpSgd", "DPAR, Algorithm 2",
        audits "dp-sgd",
        tests "privet-privacy sgd::tests::the_noise_has_its_deviation";
    /// The sum is divided by the number of rows drawn, which is secret.
    DividedByDrawnSize: "DpSgd", "most published code",
        tests "privet-privacy sgd::tests::the_size_of_a_batch_is_not_divided_out";
    /// One step is charged for all.
    OneStepCharged: "DpSgd", "a count forgotten",
        tests "privet-privacy::sgd a_private_logistic_regression_learns_and_its_card_says_what_it_cost";
    /// A person's own row is not counted among the rows that read it.
    OwnRowNotCounted: "DpSgd", "DPAR: epsilon 1 is 1.64",
        tests "privet-privacy sgd::tests::the_event_follows_from_unit_batch_and_share";
    /// A node that several rows read is charged as one row.
    HubCountedAsOneRow: "DpSgd", "DPAR, Theorem 2",
        tests "privet-privacy sgd::tests::the_event_follows_from_unit_batch_and_share";
    /// Neighbours' rows are charged as if they vanished with the person they read.
    NeighboursRowsVanish: "DpSgd", "GraphSAGE with DP-SGD, as often charged",
        tests "privet-privacy sgd::tests::the_event_follows_from_unit_batch_and_share";
    /// A replaced row is taken to move by the clip norm, not by twice that.
    ReplacedRowMovesByC: "DpSgd", "published code",
        tests "privet-privacy sgd::tests::the_event_follows_from_unit_batch_and_share";

    /// A node stays in as many rows as name it, whatever was charged.
    ReadersNotCapped: "DpSgd", "DPAR, which clips the sum of a node's weights instead: 1 is 60",
        tests "privet dpar::columns::tests::the_largest_scores_stay_and_own_rows_do_not_count";

    /// Rows are taken from the mean of their batch, and not from the released one.
    RowsAroundTheBatch: "DpSgd", "batch normalisation",
        tests "privet-learn train::dp_sgd::middle::tests::a_row_around_the_middle_knows_no_other";
    /// Columns are centred by the mean of the records instead of the middle of a declared range.
    RowsCentredByRecords: "DpSgd", "StandardScaler before private training",
        tests "privet dpar::people::descent_rows::tests::a_row_does_not_depend_on_other_records";

    // Who is near whom, and sums over neighbours.

    /// Two clipped rows are taken to be C apart, not the square root of 2 times C.
    RootOfTwoDropped: "DpAppr", "DPAR, Theorem 3",
        audits "dp-appr-sampled",
        tests "privet-privacy appr::tests::costs_are_those_of_the_table";
    /// A pick by Gumbel noise of scale C/epsilon is charged epsilon: scores move both ways.
    PicksChargedHalf: "DpAppr", "DPAR, Algorithm 1: 1 is 1.99",
        tests "privet-privacy appr::tests::the_charge_is_above_the_exact_loss_of_two_picks_of_five";
    /// One of the K names of a row is charged.
    OnePickPerRowCharged: "DpAppr", "a count forgotten",
        tests "privet-privacy appr::tests::the_charge_is_above_the_exact_loss_of_two_picks_of_five";
    /// Scores are released beside the names for nothing.
    NoisyScoresNotCharged: "DpAppr", "a term forgotten",
        tests "privet-privacy appr::tests::names_and_scores_are_charged_both";
    /// Only nodes that are present can be named.
    OnlyPresentNodesPicked: "DpAppr", "DPAR's published code: a name proves that a person is there",
        audits "dp-appr";
    /// Scores of near nodes are not clipped.
    ScoresNotClipped: "DpAppr", "a line left out",
        audits "dp-appr";
    /// Rows with Gaussian noise are not clipped.
    RowsNotClipped: "DpAppr", "a line left out",
        audits "dp-appr-sampled";
    /// A node's own sum is left out of the sensitivity.
    OwnSumNotCounted: "NoisySums", "GAP, with node-level noise",
        audits "noisy-sums";
    /// An edge is counted in one of the two sums that it moves.
    EdgeCountedInOneSum: "NoisySums", "directed graphs' rule on undirected ones",
        audits "noisy-sums";
    /// A replaced node is charged as an absent one.
    ReplacedNodeAsAbsent: "NoisySums", "two relations taken for one",
        audits "noisy-sums";
    /// One hop is charged for all.
    OneHopCharged: "NoisySums", "a count forgotten",
        tests "privet-privacy aggregation::tests::every_hop_is_charged";
    /// Rows are summed as they are, not at norm 1.
    RowsNotNormalised: "NoisySums", "a line left out",
        tests "privet-privacy aggregation::tests::sums_are_of_unit_rows_cut_to_the_ball";
    /// Sums are cut column by column, not by their norm.
    ColumnsCutAlone: "NoisySums", "clipping by value, as deep-learning libraries offer it",
        audits "noisy-sums",
        tests "privet-privacy aggregation::tests::a3_cutting_integers_is_nearly_a_contraction";
    /// The slack for cutting integers is not paid for.
    CutCostsNothing: "NoisySums", "a lemma about real numbers taken for one about integers",
        tests "privet-privacy aggregation::tests::a3_the_reach_pays_for_what_cutting_integers_moves";

    // Samplers.

    /// The words of an incomplete round are kept, so that some integers are likelier than others.
    IncompleteRoundKept: "RandomWords", "the modulo bias",
        tests "privet-privacy noise::random_words::tests::every_value_below_a_bound_has_equally_many_words";
    /// A coin of a/b comes up for a + 1 of b integers.
    CoinOneTooMany: "RandomWords", "at most for less than",
        audits "noise-coin";
    /// The threshold of a coin is a little too high.
    ThresholdOffByOne: "Bernoulli", "a rounded division",
        tests "privet-privacy noise::bernoulli::tests::one_division_loses_nothing";
    /// Of 64 coins tossed at once, all are decided by their first digit.
    LanesShareADigit: "Bernoulli", "a mask turned around",
        audits "noise-lanes",
        tests "privet-privacy noise::bernoulli::tests::all_readings_agree";
    /// The weight e^-epsilon is rounded down, to the side that is not private.
    DecayRoundedDown: "Decay", "floor for ceil",
        tests "privet-privacy noise::decay::tests::certified";
    /// Laplace noise of 0 is drawn as +0 and as -0.
    ZeroCountedTwice: "DiscreteLaplace", "published code",
        audits "laplace";
    /// Laplace noise is never negative.
    NoiseOnlyUpwards: "DiscreteLaplace", "a sign dropped",
        audits "laplace dprr";
    /// The far tail of geometric noise is cut off.
    TailCutOff: "Geometric", "a loop left early",
        audits "laplace";
    /// Zero is twice as likely as it should be in discrete Gaussian noise.
    GaussianZeroCountedTwice: "DiscreteGaussian", "published code",
        tests "privet-privacy noise::discrete_gaussian::tests::an_attempt_by_enumeration";
    /// Gaussian noise has half its deviation.
    HalfTheDeviation: "RoundedGaussian", "a factor of 2",
        audits "dp-sgd gaussian-features class-sums protect-sums",
        tests "privet-privacy noise::rounded_gaussian::tests::moments";
    /// Gaussian noise stops at 3.97 deviations.
    GaussianWithoutTail: "RoundedGaussian", "a table without its end",
        tests "privet-privacy noise::rounded_gaussian::tests::the_tail_is_the_normal_tail";
    /// Noise is added to a sum of floats: low bits show whether the sum was 0.
    NoiseAddedInFloats: "NoisySums DpSgd", "every library that adds float noise to float gradients",
        audits "noisy-sums dp-sgd";
    /// Scores that move both ways are charged as if they moved one way.
    ScoresMoveOneWay: "EdgeRr", "EdgeRR, eq. 17, and DPAR: a factor of 2 in the exponential mechanism",
        audits "selection";

    // Features and labels.

    /// Each of the k reported columns has the whole budget.
    BudgetPerColumn: "SampledCoordinates", "one keystroke: epsilon for epsilon/k",
        audits "hds";
    /// The first column is reported as it is.
    FirstColumnKept: "SampledCoordinates", "off by one",
        audits "hds laplace";
    /// The last columns are chosen less often than the others.
    LastColumnRarely: "SampledCoordinates", "off by one",
        tests "privet-privacy features::subset::tests::every_subset_is_equally_likely";
    /// What falls outside the window has the square of its weight.
    WindowAtTwiceEpsilon: "SampledCoordinates", "e^2eps for e^eps",
        audits "square-wave piecewise pm-sub hds";
    /// A report beyond the ends of the domain is drawn again.
    DrawnAgainBeyondTheEnds: "SampledCoordinates", "square wave on [-1, 1], as often coded: 1 is 1.26",
        audits "square-wave";
    /// The width of the window by the printed formula, which is negative for small epsilons.
    WidthAsPrinted: "SampledCoordinates", "LDP-GE, eq. 9",
        tests "privet-privacy features::square_wave::tests::tiny_budgets_keep_all_digits";
    /// Reports are not divided by their shrinkage.
    ShrinkageForgotten: "SampledCoordinates", "a factor forgotten",
        tests "privet-privacy::features unbiased_entries_average_to_the_truth";
    /// Laplace noise for a range of 1, on values from -1 to 1.
    HalfTheRange: "SampledCoordinates", "published code: epsilon is twice epsilon",
        audits "laplace";
    /// One of two values is reported without being randomised.
    SideNotFlipped: "SampledCoordinates", "a line left out",
        audits "duchi multi-bit";
    /// The coin between two mechanisms looks at the value.
    CoinLooksAtTheValue: "SampledCoordinates", "an optimisation",
        audits "hybrid";
    /// The ends of the domain are reported at twice the epsilon.
    EndsAtTwiceEpsilon: "SampledCoordinates", "e^2eps for e^eps",
        audits "three-outputs";
    /// The range of the features is measured from the records.
    BoundsFromTheRecords: "Scale", "HeteroRR's normalisation: 1 is n",
        tests "privet-privacy features::scaling::tests::bounds_must_be_there_public_and_complete";
    /// Gaussian noise for one column, on a row of many.
    OneColumnsRange: "Gaussian", "the square root of d forgotten",
        tests "privet-privacy features::gaussian::tests::reports_have_the_mean_and_the_variance";
    /// FeatureRR's weights fall by e^-epsilon from bin to bin.
    WholeBudgetPerBin: "FeatureRr", "HeteroRR with sigma = 1/(k eps): 1 is 9 with 10 bins",
        audits "feature-rr";
    /// FeatureRR's exponent forgets to divide by the number of bins.
    BinsForgotten: "FeatureRr", "HeteroRR, eq. 5 without k: 1 is 10 with 10 bins",
        audits "feature-rr";
    /// Every column has the whole budget, whatever its share.
    SharesIgnored: "FeatureRr", "one keystroke",
        audits "feature-rr";
    /// The shares of the columns add up to twice the budget.
    SharesAddUpToTwo: "FeatureRr", "a wrong unit",
        tests "privet-privacy features::theta::tests::budgets_never_exceed_the_whole";
    /// The label randomiser never reports the last other class.
    ClassLeftOut: "LabelRr", "off by one",
        audits "label-rr";
    /// An answer is repeated where the model is sure of it.
    FirmerWhereSure: "AnswerRr", "an optimisation",
        audits "answer-rr";
    /// A mechanism chosen by its name costs nothing.
    NamedMechanismsFree: "FeatureMechanism", "a default that was not overridden",
        tests "privet-privacy features::by_name::tests::every_name_builds_the_mechanism_of_that_name";

    // Neighbour lists.

    /// The last bit of a list is not randomised.
    LastBitKept: "Rr", "off by one",
        audits "rr rr-long-list";
    /// Packed lists are reported as they are.
    PackedBitsNotFlipped: "PackedRr", "a line left out",
        audits "rr";
    /// The degree that thins a list has no noise.
    DegreeWithoutNoise: "Dprr", "a line left out",
        audits "dprr";
    /// The mask is drawn from the true degree, the noisy one unused.
    MaskFromTrueDegree: "Dprr", "one name for another",
        audits "dprr";
    /// Bits are randomised with the whole budget, of which the degree has a part.
    BitsAtWholeBudget: "Dprr", "one name for another: 1 is 1.1",
        audits "dprr";
    /// The budget is split as printed, and charged as asked for.
    SplitAsPrinted: "Dprr", "DPRR, eq. 8: 0.2 is 0.27",
        tests "privet-privacy edges::local::dprr::tests::the_split_stays_within_and_the_printed_one_does_not";
    /// The noisy degree is divided before it is clipped, past a pole.
    DividedBeforeClipping: "Dprr", "DPRR, eq. 6: the emptiest list becomes the fullest",
        tests "privet-privacy edges::local::dprr::tests::a_very_negative_degree_gives_the_sparsest_report";
    /// The degree is sent with noise of its own, beside a list that another noisy degree steered.
    SecondNoisyDegree: "DprrWithDegree", "a second draw",
        audits "dprr-with-degree";
    /// The list is sent beside the degree that has the whole budget.
    ListBesideDegree: "NoisyDegree", "a field that another mechanism fills",
        audits "noisy-degree";
    /// Users who say nothing send their lists.
    SilentUsersSpeak: "Silent", "one branch for another",
        audits "silent";
    /// What a preparation needs is charged nothing, since it happens inside.
    PreparedIsFree: "PreparedMechanism", "a default that was not overridden",
        tests "privet-privacy prepared::tests::the_price_is_that_of_the_mechanism_inside";
    /// A mechanism from outside may claim that it costs nothing.
    OutsidersForNothing: "Ledger", "a check that is skipped",
        tests "privet-privacy::ledger unaudited_mechanisms_cannot_be_free";
    /// A mechanism from outside is not stamped.
    OutsidersUnstamped: "Ledger", "a field that is never filled",
        tests "privet-privacy::ledger what_was_made_outside_is_stamped_wherever_it_is_shown";
    /// A bound on degrees that the data may break is printed without its condition.
    ConditionLeftOut: "NoisySums", "GAP, Theorem 1, where surplus neighbours are dropped",
        tests "privet-privacy aggregation::tests::beyond_the_bound_there_is_no_number";
    /// Private edges where none were declared are counted.
    UndeclaredEdgesCounted: "EdgeRr", "a check before the secret that is missing",
        tests "privet-privacy edges::comparison::edge_rr::tests::private_edges_outside_the_declared_nodes_count_nothing";
    /// A mechanism around another costs nothing.
    WrappedIsFree: "OneSided EachGraph", "a default that was not overridden",
        audits "wrapped",
        tests "privet-privacy edges::local::each_graph::tests::one_event_for_all_graphs";
    /// Both users of a pair report it where one should.
    BothReportThePair: "OneSided", "a restriction forgotten: epsilon is twice epsilon",
        tests "privet-privacy edges::local::one_sided::tests::every_pair_has_one_owner";
    /// Half a list, steered by the whole degree, is charged as if one degree depended on the pair.
    DegreesOfOneCharged: "LowerHalf", "DPRR's lower triangle: 1 is 1.1",
        tests "privet-privacy edges::local::dprr::tests::an_edge_costs_what_is_sent_about_it";
    /// Cells have the whole budget, of which the degree has a part.
    CellsAtWholeBudget: "LocalLap", "one name for another",
        tests "privet-privacy edges::local::local_lap::tests::one_bit_costs_both_budgets";

    // A curator's graph.

    /// The cells of a graph have the whole budget, of which the count has a part.
    CountNotPaidFor: "LapGraph", "one name for another",
        tests "privet-privacy edges::comparison::lap_graph::tests::budgets_add_up_and_an_edge_costs_them";
    /// An edge is counted at both of its ends, and charged for one.
    VotesAtBothEnds: "EdgeVotes", "GAP's sums, where an edge moves two rows",
        audits "edge-votes",
        tests "privet-privacy edges::central::edge_votes::tests::every_edge_is_counted_once";
    /// The weights of rungs fall by the whole budget: the change of what they sum up to is free.
    LadderNormaliserFree: "GraphCounts", "an exponential mechanism without its factor of two",
        audits "graph-counts";
    /// Rungs are as wide as this graph needs, however far away a graph is.
    LadderFlat: "GraphCounts", "noise scaled to local sensitivity",
        audits "graph-counts",
        tests "privet-privacy edges::central::graph_counts::tests::ladders_hold_for_all_graphs_of_five_nodes";
    /// An edge raises two degrees, and one is paid for.
    DegreesMoveOneCount: "GraphCounts", "a histogram's sensitivity of one record",
        audits "graph-counts";
    /// Counts of people without an edge are released as they are.
    SilentRowsWithoutNoise: "EdgeVotes", "work saved where there seems to be nothing to hide",
        audits "edge-votes",
        tests "privet-privacy edges::central::edge_votes::tests::every_edge_is_counted_once";
    /// An edge between known nodes is counted from both of its ends, and charged for one.
    PairsByBothEnds: "EdgeVotes", "a sum over rows of an undirected graph, in which every edge stands twice",
        audits "edge-votes",
        tests "privet-privacy edges::central::edge_votes::tests::edges_between_nodes_that_do_not_ask_are_counted_once_by_pairs";
    /// A person gives every recipient a whole vote.
    VoteNotShared: "NeighbourVotes", "counts of neighbours, with noise for one of them",
        audits "neighbour-votes",
        tests "privet-privacy neighbour_votes::tests::a_vote_is_shared_among_those_the_voter_knows";
    /// A person who becomes another is charged as one who leaves.
    ReplacedVoterAsAbsent: "NeighbourVotes", "two relations taken for one",
        audits "neighbour-votes",
        tests "privet-privacy neighbour_votes::tests::noise_has_the_variance_that_is_stated";
    /// Edges are added at random, and never removed.
    EdgesNeverRemoved: "EdgeRand", "half of a symmetric rule",
        audits "edge-rand";
    /// Every edge is counted in its own block and at the root again.
    EdgesCountedAgain: "EdgeRr", "HeteroRR draws fresh noise for children: epsilon is three times epsilon",
        audits "edge-rr";
    /// Blocks without private edges get no noise: who may have private edges is read off the edges.
    EmptyBlocksWithoutNoise: "EdgeRr", "HeteroRR's V_pri: infinite",
        audits "edge-rr";
    /// A chain of finite length is charged as if it had converged.
    ChainTakenForConverged: "EdgeRr", "HeteroRR, Theorem 3: infinite",
        tests "privet-privacy edges::comparison::edge_rr::tests::each_mode_charges_what_is_proved";
    /// Public edges between private nodes are drawn anew.
    PublicEdgesOverwritten: "EdgeRr", "HeteroRR, Algorithm 2",
        tests "privet-privacy edges::comparison::hrg::noisy::tests::public_edges_stay_and_blocks_get_their_counts";
    /// The sensitivity of the main text, without its exponent.
    SensitivityOfMainText: "EdgeRr", "HeteroRR, eq. 15: 2 is 3.44",
        tests "privet-privacy edges::comparison::hrg::likelihood::tests::the_sensitivity_is_the_known_one";
    /// The log-likelihood of a tree with the printed minus sign.
    PrintedMinusSign: "EdgeRr", "HeteroRR, eq. 13",
        tests "privet-privacy edges::comparison::hrg::likelihood::tests::large_counts_lose_no_digits";
    /// A published algorithm is charged what its paper says.
    PrintedIsCharged: "AsPrinted", "the papers themselves",
        audits "as-printed",
        tests "privet-privacy::ledger a_printed_price_is_shown_and_the_true_one_charged";
    /// A replaced person is charged as if one count moved.
    ReplacedVoteIsOne: "Tally", "one neighbouring relation taken for another",
        audits "tally",
        tests "privet-privacy tally::tests::who_is_replaced_moves_two_counts";
    /// The first count is released as it is.
    FirstCountExact: "Tally", "an index that starts at 1",
        audits "tally";
    /// A yes is never turned into a no.
    YesStaysYes: "CoinFlip", "half of a symmetric rule",
        audits "coin-flip";

    // Accounts, keys and shares.

    /// The last entry of an account is written down and never priced.
    LastEntryUnpriced: "Ledger", "a loop that stops one short",
        audits "ledger-account";
    /// The operating system is asked for a key once, and every account has that one.
    OneKeyPerProcess: "NoiseRng", "a key kept in a static",
        audits "noise-keys";
    /// Processes that draw shares of a release use a key that all of them know.
    WorkersShareAKey: "Share", "a key made from the job for the sake of repeatable runs",
        audits "shares",
        tests "privet-privacy ledger::parts::tests::b9_every_share_has_a_key_of_its_own";
    /// What may leave the window of a composed loss is not added to delta.
    WindowSlackDropped: "Pld", "a term too small to be seen in a test of values",
        tests "privet-privacy accountant::pld::compose::tests::b9_losses_beyond_the_window_are_paid_for";
    /// A seed replays the same noise for features, labels and lists.
    OneStreamForAllKinds: "LedgerStore", "a stream number that is dropped",
        tests "privet run::tests::b9_a_seed_gives_every_kind_a_stream_of_its_own";
    /// The shares of the columns follow from sums over the private rows.
    SharesFromPrivateColumns: "Columns", "importance measured where it is at hand",
        tests "privet publish::columns::tests::b9_shares_follow_from_declarations_alone";

    // Projects.

    /// What one account has spent is there for the other account of the same record.
    RelativesNotDeducted: "Project", "two accounts of one person, each with the whole limit",
        tests "privet project::tests::accounts_of_one_person_share_one_budget";
    /// The balance is that of the group that paid least.
    SmallestGroupShown: "Project", "a comparison turned around",
        tests "privet project::tests::a_model_is_trained_evaluated_and_used_and_all_of_it_is_charged";
    /// Charges for what the project file no longer names are not looked for.
    UndeclaredChargesIgnored: "Project", "a loop over the declared accounts alone",
        tests "privet project::tests::what_was_spent_cannot_be_edited_away";
    /// An account that is gone starts anew, whatever is known of it outside of the folder.
    LostAccountStartsAnew: "Project", "a check that is skipped",
        tests "privet project::tests::an_older_copy_cannot_be_spent_from";
    /// An account is opened without the count outside of the folder.
    CountNotWitnessed: "Project", "one call left out",
        tests "privet project::tests::charges::c11_charges_are_counted_outside_of_the_folder";
    /// Records of people who were removed are read.
    ForgottenRead: "Project", "a filter on one of two paths",
        tests "privet project::tests::who_is_removed_is_read_no_more_and_cards_say_so";
    /// Cards do not say that people were removed.
    RemovalNotOnCard: "Project", "a line left out",
        tests "privet project::tests::who_is_removed_is_read_no_more_and_cards_say_so";
    /// People who were set aside for testing are trained on.
    TestPeopleTrainedOn: "Project", "a filter turned off for a small project",
        tests "privet project::tests::charges::c11_who_is_set_aside_is_not_trained_on";
    /// Answers about new people, made from votes of the project's people, are not charged to it.
    NewcomersAnsweredForNothing: "Project", "a model is released, so its answers are free",
        tests "privet project::tests::answers::answers_by_votes_are_charged_to_the_project";
    /// The price of one project lets connections of every project be read.
    OtherProjectsPaidFor: "InputGuard", "a check that is skipped altogether",
        tests "privet project::tests::answers::a_price_pays_for_one_project_alone";
    /// An evaluation charges an account in memory, which is never stored.
    EvaluationNotCharged: "Project", "a store of its own for something so small",
        tests "privet project::tests::a_model_is_trained_evaluated_and_used_and_all_of_it_is_charged";
    /// Where labels are private on devices, answers are compared with the labels themselves.
    LabelsComparedInClear: "Project", "the branch for public labels taken for all labels",
        tests "privet project::tests::charges::c11_private_labels_are_asked_through_noise_and_charged";
    /// A person votes in two cells of a tally that is charged for one.
    VotesInTwoCells: "Evaluation", "a second question asked of the same people",
        audits "evaluation-counts";
    /// A request for one private part returns all of them.
    HiddenPartsHandedOut: "Project", "an any for an all",
        tests "privet project::tests::accounts_of_one_person_share_one_budget";
    /// Two processes may spend from one project at a time.
    ProjectNotLocked: "Project", "a lock that is not taken",
        tests "privet project::tests::a4_one_process_spends_where_nothing_is_kept_outside";
    /// A release is credited with charges that were made before it began.
    InterruptedChargeCredited: "Project", "entries counted from the first",
        tests "privet project::tests::an_interrupted_charge_belongs_to_no_later_release";
    /// The status shows the larger of two accounts of one record, not their sum.
    StatusShowsLargest: "Project", "a maximum for a sum",
        tests "privet project::tests::charges::c11_status_adds_the_accounts_of_one_record";
    /// Of the looks at candidates only the first is charged to the project.
    LooksNotCharged: "Project", "the best of several runs",
        tests "privet project::tests::tuning_charges_every_training_and_every_look_and_no_more_than_was_said";
    /// What will be promised is priced without the labels.
    PromiseWithoutLabels: "Promise", "a part forgotten in the forecast",
        tests "privet system::tests::systems_keep_their_promises";
    /// Answers come in the order of ids, not in the order of the table.
    AnswersSortedById: "Model", "a set for a list: 0.91 right became 0.12",
        tests "privet project::tests::answers::c11_answers_come_in_the_order_of_the_table";

    // Devices.

    /// A task that was answered is answered anew, with fresh noise.
    DrawnAgainWhenAsked: "Device", "a report that is not looked up",
        tests "privet-protocol device::tests::a_report_is_drawn_once_wherever_it_is_kept";
    /// Parts of a task are priced one by one, so the first is drawn though the second does not fit.
    PartsPricedOneByOne: "Device", "a check inside of the loop",
        tests "privet-protocol device::tests::c11_nothing_is_drawn_unless_all_parts_fit";
    /// A report leaves though it could not be kept.
    SentBeforeKept: "Device", "an error that is ignored",
        tests "privet-protocol device::tests::c11_no_report_leaves_that_could_not_be_kept";
    /// A task passes with any signature.
    TaskSignatureNotChecked: "Device", "a check that is skipped",
        tests "privet-protocol sealed::tests::a_changed_task_is_found_out";
    /// Another person's kept answer is sent from another place.
    OtherPlaceAnswers: "Device", "a check that is skipped",
        tests "privet-protocol device::tests::a_report_is_drawn_once_wherever_it_is_kept";

    // Collectors.

    /// A report for another task is taken.
    ReportOfAnotherTaskTaken: "Collector", "a name that is read and not compared",
        tests "privet-collector::collector attacks::a_report_for_one_task_is_none_for_another";
    /// A task that was closed takes reports.
    ClosedTaskTakesReports: "Collector", "a condition left out of a query",
        tests "privet-collector::collector conversation::a_closed_task_never_grows";
    /// A report after the last moment of its task is taken.
    LateReportsTaken: "Collector", "a check that is skipped",
        tests "privet-collector::collector conversation::the_last_moment_is_the_collectors_word";
    /// A task by invitation takes reports without one.
    InvitationNotAsked: "Collector", "a check that is skipped",
        tests "privet-collector::collector conversation::an_invitation_is_for_one_person_once";
    /// A second report of a person takes the place of the first.
    SecondReportReplaces: "Collector", "an upsert",
        tests "privet-collector store::tests::each_report_of_a_batch_hears_of_its_own";
    /// Reports that come again are counted again.
    RepeatsCounted: "Collector", "the length of the batch for that of what is new",
        tests "privet-collector store::tests::large_batches_are_kept_whole";
    /// A report is acknowledged and not committed.
    AcknowledgedBeforeCommit: "Collector", "an answer sent one line too early",
        tests "privet-collector store::tests::an_acknowledged_report_is_committed_after_any_failure";
    /// Any token administrates.
    EveryoneAdministrates: "Collector", "a check that is skipped",
        tests "privet-collector::collector attacks::only_administrators_read_and_change";
    /// The card of a task leaves out what the label costs.
    TaskCardWithoutLabel: "Collector", "a part forgotten",
        tests "privet collected::tests::reports_become_a_dataset_with_a_card";
    /// A stream of reports that broke off is taken for whole.
    BrokenStreamTaken: "Collector", "an end that is not asked for",
        tests "privet collected::tests::a_stream_is_whole_or_refused";

    // Clusters.

    /// Workers draw together though they have read different data.
    OtherDataTakesPart: "Cluster", "counts compared in place of contents",
        tests "privet-cluster::cluster data_check::c11_workers_with_other_data_are_named_with_what_differs";
    /// The comparison of inputs sends digests of private data in the clear.
    DigestsInClear: "Cluster", "a hash taken for a secret",
        tests "privet-cluster data_check::tests::c11_what_travels_in_the_comparison_tells_a_listener_nothing";
    /// Which worker draws for whom follows from the private degrees.
    PartitionByDegree: "Cluster", "the balanced partition of the other jobs",
        tests "privet-cluster::cluster randomize::c11_who_draws_for_whom_does_not_follow_from_degrees";
    /// A state is continued on other data than it was made from.
    CheckpointOfOtherData: "Cluster", "a key without the data",
        tests "privet-cluster checkpoint::tests::c11_a_state_is_not_continued_on_other_data";
    /// A damaged state is read.
    DamagedCheckpointRead: "Cluster", "a checksum that is not compared",
        tests "privet-cluster checkpoint::tests::a_file_cut_at_any_byte_gives_way_to_the_one_before";
    /// A worker with other settings takes part.
    OtherJobJoins: "Cluster", "a greeting that is not compared",
        tests "privet-cluster::cluster team::two_jobs_on_one_port_hear_of_each_other";
}

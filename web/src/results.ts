// Made by tests/generated_types.py from the results; `make test-fast ARGS=--accept` writes it anew.

/** A number that is null because sizes are open: terms are coefficient and powers. */
export interface Formula {
  text: string;
  terms: unknown[];
}

/** A section that this profile has nothing for: why, and what would help. */
export interface Absent {
  kind: string;
  why: string;
}

/** A rule as `tfprof rules advice` lists it. */
export interface AdviceRuleRow {
  rule: string;
  about: string;
  needs: string;
}

export interface AdviceRules {
  advice: AdviceRuleRow[];
}

/** `findings` are all that are told, what gains most first; `hidden` is how many were cut off. */
export interface AdviseResult {
  findings: Finding[];
  hidden: number;
  rules: number;
  ignored: string[];
}

/** A finding, and the section with its evidence. */
export interface Advised {
  finding: Finding;
  section: string;
}

/** The batch that fits then, and the highest peak at each batch that was asked for. */
export interface Afterwards {
  max_batch: number | null;
}

/** Something that takes memory at the peak; an op may hold several of a kind. */
export interface Alive {
  name: string;
  op: string;
  kind: string;
  bytes: number;
}

export interface AllocatorMemory {
  peak_bytes: number;
  events: number;
  fragmentation?: number | null;
  fragmentation_kind?: "estimated" | "at_least";
  fragmentation_formula?: Formula;
  available_bytes?: number | null;
  available_bytes_kind?: "estimated" | "at_least";
  available_bytes_formula?: Formula;
  lifetime_peak_bytes?: number | null;
  lifetime_peak_bytes_kind?: "estimated" | "at_least";
  lifetime_peak_bytes_formula?: Formula;
}

/** What an allocator says of itself. */
export interface AllocatorState {
  fragmentation: number | null;
  fragmentation_kind?: "estimated" | "at_least";
  fragmentation_formula?: Formula;
  available_bytes: number | null;
  available_bytes_kind?: "estimated" | "at_least";
  available_bytes_formula?: Formula;
  lifetime_peak_bytes: number | null;
  lifetime_peak_bytes_kind?: "estimated" | "at_least";
  lifetime_peak_bytes_formula?: Formula;
}

/** A number as the page writes it: `unit` says how; `text` is a formula while a size is open. */
export interface Amount {
  number: number | null;
  unit: string;
  kind: string;
  reason: string;
  text: string | null;
}

/** The JSON object every command answers with, its fields in order. */
export interface Answered<T> {
  schema: string;
  command: string;
  inputs: Used[];
  warnings: string[];
  data: T;
}

/** `step` is the one shown, `slices` what is behind its largest ones, or the one asked for. */
export interface Asked {
  look: "all steps" | "one step" | "the events behind a category" | "the gaps" | "hosts beside each other";
  step: number | null;
  slices: CategorySlice[];
  alone: boolean;
}

/** `with_overlaps` is how long each category went on, whatever else did. */
export interface AverageStep {
  period_us: number | null;
  breakdown: Record<string, number | null>;
  with_overlaps: Record<string, number | null>;
  events: Record<string, number>;
  steps: number;
}

/** Bytes at each of the batches, with variables and inputs; `max_batch` fits the limit. */
export interface BatchCurve {
  name: string;
  max_batch: number | null;
  bytes: Float64Array;
}

/** By device. */
export interface BatchMemory {
  batch: number;
  peak_bytes: Record<string, number | Formula | null>;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  persistent_bytes: Record<string, number | Formula | null>;
  persistent_bytes_kind?: "estimated" | "at_least";
  persistent_bytes_formula?: Formula;
  total_bytes: Record<string, number | Formula | null>;
  total_bytes_kind?: "estimated" | "at_least";
  total_bytes_formula?: Formula;
  input_bytes: Record<string, number>;
}

/** Events of one name: how many took part in a slice, and with how much time of their own. */
export interface Behind {
  event: string;
  count: number;
  self_us: number | null;
  longest_us: number | null;
}

/** What took longest of what is behind a category; `more` events have other names. */
export interface BehindSlice {
  step: number | null;
  category: "device_compute_16" | "device_compute_32" | "output" | "device_to_device" | "input" | "collectives" | "host_to_device" | "kernel_launch" | "compilation" | "host_model" | "host_tf_data" | "host_python" | "other" | "idle";
  events: Behind[];
  more: number;
}

/** `steps` are all that any of the compared hosts has; `usual` is the median of what hosts take. */
export interface BetweenHosts {
  hosts: HostBeside[];
  steps: number[];
  meet: boolean;
  usual_us: number | null;
  deviation_us: number | null;
  slow_everywhere: number[];
  costly: string | null;
  reference: string | null;
  starts: StartSkews | null;
  input_wait: InputSpread | null;
  differences: HostDifference[];
  why_not?: string;
  why_no_waits?: string;
  why_no_clocks?: string;
}

export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Memory that is held: for whom and for what; None where the file does not say. */
export interface Block {
  name: string | null;
  op: string | null;
  kind: string | null;
  bytes: number;
  shape: (number | null)[] | null;
  dtype: string | null;
  allocator: string;
}

/** A stage held up the median of the calls that waited by `median`. */
export interface Bottleneck {
  stage: number;
  median: number;
  calls: number;
  of_calls: number;
  held_up: number | null;
}

/** What a whole pipeline may take, as its root tells; memory in bytes. */
export interface Budget {
  algorithm: string | null;
  cpu_budget: number | null;
  ram_budget_bytes: number | null;
  ram_used_bytes: number | null;
  ram_of_machine_bytes: number | null;
  threads: number | null;
  intra_op_threads: number | null;
}

/** `limit` is in the unit of the metric: bytes, microseconds, a share from 0 to 1, a count. */
export interface BudgetRow {
  metric: string;
  limit: number | null;
  actual: number | null;
  actual_kind?: "estimated" | "at_least";
  actual_formula?: Formula;
  ok: boolean;
  why: string | null;
  said: string;
  baseline?: number;
  undecided: boolean;
  contributors: Contributor[];
}

/** Calls that took many elements at once to fill a buffer, `elements` the one that took most. */
export interface BufferFill {
  elements: number;
  calls: number;
  time_us: number | null;
}

/** Times are shares of the clock on the wall: what runs side by side divides it. */
export interface Calibration {
  sources: string[];
  steps: number;
  overlap: number;
  between_us: number;
  families: FamilyRate[];
}

/** Which call of a layer, and why something of it is not known. */
export interface CallOfLayer {
  call: number;
  reason: string | null;
}

/** Calls of one tf.function by Python; `traced` are those that traced it anew. */
export interface CalledFunction {
  name: string;
  calls: number;
  traced: number;
  eager: number;
  time_us: number;
  traced_us: number;
  tracings: number;
}

/** Where it was recorded, and by what; shares are of the time of all ops, on either side. */
export interface CaptureFacts {
  hosts: string[];
  devices: DeviceKind[];
  versions: Record<string, string>;
  host_share: number | null;
  device_share: number | null;
  eager_share: number | null;
  left_out: LeftOut[];
}

/** `written` is the folder of the run, if there is one; `steps` are those of its first host. */
export interface CaptureResult {
  written: string[];
  hosts: CapturedHost[];
  steps: number | null;
  steps_kind?: "estimated" | "at_least";
  steps_formula?: Formula;
  left_out: HostLeftOut[];
}

/** One of several captures of the first rank; `kept_as` is why it was not deleted. */
export interface CaptureRow {
  capture: string;
  first_step?: number;
  last_step?: number;
  median_us?: number;
  kept_as?: string;
  read: boolean;
}

export interface CaptureTraits {
  functions: CalledFunction[];
  devices: DeviceKind[];
  versions: Record<string, string> | null;
  eager_share: number | null;
}

/** A process by its address; `steps` are those that its capture holds. */
export interface CapturedHost {
  host: string;
  bytes: number | null;
  bytes_kind?: "estimated" | "at_least";
  bytes_formula?: Formula;
  steps: number | null;
  steps_kind?: "estimated" | "at_least";
  steps_formula?: Formula;
  step_us: number | null;
  step_us_kind?: "estimated" | "at_least";
  step_us_formula?: Formula;
  path?: string;
  remote_path?: string;
}

/** A number to begin with; `note` is what it is of, `section` where there is more about it. */
export interface Card {
  label: string;
  amount: Amount;
  note: string;
  section: string;
  tone: string;
}

/** All that is behind a category in some steps; what took longest first. */
export interface CategorySlice {
  category: "device_compute_16" | "device_compute_32" | "output" | "device_to_device" | "input" | "collectives" | "host_to_device" | "kernel_launch" | "compilation" | "host_model" | "host_tf_data" | "host_python" | "other" | "idle";
  steps: number[];
  events: Behind[];
}

/** What one category took of every step, in microseconds, and of an average one. */
export interface CategoryTimes {
  category: string;
  times: Float64Array;
  average_us: number;
}

/** Events of one label: how many there were and how long they took. */
export interface Cause {
  what: string;
  category: "device_compute_16" | "device_compute_32" | "output" | "device_to_device" | "input" | "collectives" | "host_to_device" | "kernel_launch" | "compilation" | "host_model" | "host_tf_data" | "host_python" | "other" | "idle";
  count: number;
  usual_count: number;
  time_us: number | null;
  usual_us: number | null;
  longest_us: number | null;
}

/** What is to be said of a number: its kind, the reason, what stands in its place. */
export interface CellWords {
  kind: string;
  reason: string;
  text: string | null;
}

/** One thing to do, and the rule that asks for it; `stage` is where, as the profile names it. */
export interface Change {
  rule: string;
  advice: string;
  code: string | null;
  stage: string | null;
}

/** `ok`: all were kept. */
export interface CheckResult {
  budgets: BudgetRow[];
  ok: boolean;
  baseline?: string;
}

/** `held`: how many variables of the graph it has, where there is a graph. */
export interface CheckpointResult {
  path: string;
  version: string;
  shards: number;
  tensors: (StoredRow | MeasuredRow)[];
}

/** Of the tensors of a checkpoint; `whole` is None where nobody read them. */
export interface Checksums {
  tensors: number;
  bytes: number;
  whole: boolean | null;
}

/** How far a clock is ahead of the reference, in microseconds. */
export interface ClockOffset {
  offset_us: number | null;
  offset_us_kind?: "estimated" | "at_least";
  offset_us_formula?: Formula;
  within_us?: number;
  collectives: number;
  reason?: string;
}

/** `flops` are two for each MAC, `flops_all` with element-wise ops, `float_ops` the original's. */
export interface ComputedCosts {
  macs: number | null;
  macs_kind?: "estimated" | "at_least";
  macs_formula?: Formula;
  flops: number | null;
  flops_kind?: "estimated" | "at_least";
  flops_formula?: Formula;
  flops_all: number | null;
  flops_all_kind?: "estimated" | "at_least";
  flops_all_formula?: Formula;
  float_ops: number | null;
  float_ops_kind?: "estimated" | "at_least";
  float_ops_formula?: Formula;
  uncounted_ops: UncountedOps[] | null;
  phases: Record<string, PhaseCosts> | null;
  computed: string | null;
  symbols: string[];
}

/** Of one command, or what is set for any. */
export interface ConfigResult {
  values: ConfigValue[];
  file: string | null;
}

/** `key` is that of `[tool.tfprof]`, `source` a variable, a file or the default. */
export interface ConfigValue {
  key: string;
  value: string | null;
  source: string;
  variable: string;
}

/** A constant of the graph and how many others hold the same bytes. */
export interface Constant {
  name: string;
  bytes: number;
  copies: number;
}

/** Something that makes up much of what was measured. */
export interface Contributor {
  name: string;
  value: number;
}

/** Copies of one kind from one device to another, in the average step. */
export interface Copies {
  source: string | null;
  target: string | null;
  kind: string;
  count: number;
  bytes: number | null;
  bytes_kind?: "estimated" | "at_least";
  bytes_formula?: Formula;
  time_us: number | null;
  time_us_kind?: "estimated" | "at_least";
  time_us_formula?: Formula;
}

/** A displayed node in data: what `columns` below has of a row. */
export interface CostRecord {
  id: number;
  parent: number | null;
  name: string;
  accounted: boolean;
  self: KnownCosts;
  total: KnownCosts;
}

/** A displayed node; `parent` is the position of the displayed one it stands under. */
export interface CostRow {
  name: string;
  parent: number;
  indent: number;
  accounted: boolean;
  own: Costs;
  total: Costs;
  device: string;
}

/** `select` is what the text shows; `style` (early, late or original) what stands around it. */
export interface CostTreeResult {
  nodes: CostRecord[];
}

/** A field a metric: `occurrence` is how often it ran, `defined` how many nodes there are. */
export interface Costs {
  params: number;
  float_ops: number;
  bytes: number;
  peak_bytes: number;
  residual_bytes: number;
  output_bytes: number;
  micros: number;
  accelerator_micros: number;
  cpu_micros: number;
  occurrence: number;
}

/** `path` has all executions, or of very many those that took longest. */
export interface CriticalPath {
  executions: number;
  time_us: number;
  wait_us: number;
  by_data: number;
  top: PathOp[];
  path: PathLink[];
}

export interface DeviceGraph {
  device: string;
  nodes: PlacedNode[];
}

/** Devices that are alike; `working` are those of them that did something. */
export interface DeviceKind {
  kind: string;
  count: number;
  working: number;
  memory_bytes: number | null;
}

/** A level holds from its moment to the next; `changes` is how many led to it. */
export interface DeviceOverTime {
  device: string;
  times_us: Float64Array;
  levels: Float64Array;
  changes: Int32Array;
  peak: number;
  peak_bytes: Amount;
  peak_step: number | null;
  before: Float64Array | null;
  with_variables: boolean;
  blocks: LivingBlocks;
  all_blocks: number;
  steps: StepSpanShown[];
}

/** FLOPs and bytes that a device does in a second at its best. */
export interface DevicePeak {
  name: string;
  flops: number;
  bytes: number;
}

/** Times are of an average step: computing, waiting for copies, in collectives and idle add up. */
export interface DeviceRow {
  device: string;
  busy: number | null;
  busy_us: number | null;
  copy_wait_us: number | null;
  collective_us: number | null;
  exposed_us: number | null;
  idle_us: number | null;
  waited_for: Record<string, number | null>;
  copies_us: number | null;
  span_us: number | null;
  idle_in_span: number | null;
  barrier_us: number | null;
  busy_us_by_step: (number | null)[];
  breakdown: Record<string, number | null>;
}

/** A device that ran anything. `time` is as if it were the only one. */
export interface DeviceSteps {
  name: string;
  time: number[][];
  active: number[];
  compute: number[];
  copies: number[];
  copies_hidden: number[];
  collectives: number[];
  collectives_hidden: number[];
  span: number[];
  span_idle: number[];
  waited: Record<string, number[]>;
  barriers: number | null;
}

/** What went on in a gap, and how much of the gap it covers, 0 to 1. */
export interface Did {
  what: string;
  share: number;
}

/** Of the first side and the last; `sides` has all of them, in order. */
export interface DiffResult {
  summary: DiffSummary;
  sides: SideRow[];
  comparable: Likeness[];
  rows: DiffRow[];
}

/** `before` and `after` are a number, a text or a formula; None where a side has none. */
export interface DiffRow {
  kind: "total" | "step" | "phase" | "layer" | "class" | "op" | "tensor";
  name: string;
  metric: string;
  before: number | string | null;
  after: number | string | null;
  change: number | string | null;
  interval: number[] | null;
  significant: boolean | null;
  why: string | null;
}

/** `same_work` is whether both do the same, None where that is not known. */
export interface DiffSummary {
  same_work: boolean | null;
  step_before_us: number | null;
  step_after_us: number | null;
  step_significant: boolean | null;
  because: Record<string, number>;
  noise: string | null;
  changed: number;
}

/** `written_by` are versions of TensorFlow. */
export interface DoctorResult {
  found: FileRow[];
  missing: MissingInput[];
  restore: RestoreResult | null;
  recorded?: RecordedRun;
}

/** What looked like a step and is not counted as one. */
export interface Dropped {
  what: string;
  why: string;
}

/** `unit` is how its numbers are written; `relative` is by how much of what it was. */
export interface EffectRow {
  row: DiffRow;
  unit: string;
  relative: number | null;
}

export interface Embedding {
  variable: string;
  bytes: number;
}

/** Where an epoch went; None for what was not watched, `other_us` is what is left. */
export interface EpochRow {
  epoch: number;
  time_us: number;
  data_us?: number;
  step_us?: number;
  callbacks_us?: number;
  validation_us?: number;
  checkpoint_us?: number;
  other_us: number;
}

/** What some ops take, and the interval that it lies in nine times of ten. */
export interface Estimate {
  name: string;
  count: number;
  time_us: number | null;
  time_us_kind?: "estimated" | "at_least";
  time_us_formula?: Formula;
  time_interval_us: (number | null)[];
  upper_us: number | null;
  upper_us_kind?: "estimated" | "at_least";
  upper_us_formula?: Formula;
  compute_us: number | null;
  compute_us_kind?: "estimated" | "at_least";
  compute_us_formula?: Formula;
  memory_us: number | null;
  memory_us_kind?: "estimated" | "at_least";
  memory_us_formula?: Formula;
  bound: string;
  measured_us: number | null;
  efficiency: number | null;
  efficiency_kind?: "estimated" | "at_least";
  efficiency_formula?: Formula;
}

/** At the first batch. `interval` is what the peak may come to; only a run has a curve. */
export interface EstimatedDevice {
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  persistent_bytes: number | null;
  persistent_bytes_kind?: "estimated" | "at_least";
  persistent_bytes_formula?: Formula;
  total_bytes: number | null;
  total_bytes_kind?: "estimated" | "at_least";
  total_bytes_formula?: Formula;
  interval: (number | null)[];
  peak_at: string;
  live_at_peak: Alive[];
  curve: null;
  pieces: LinePiece[];
  input_bytes: number;
}

/** Of one model; `against` is another one over the same batches. */
export interface EstimatedMemory {
  memory_kind: string;
  model: string;
  computed: string;
  devices: Record<string, EstimatedDevice>;
  batches: BatchMemory[];
  max_batch?: number | null;
  safe_batch?: number | null;
  what_if?: (Recompute | Swap | Narrower)[];
  against?: EstimatedMemory;
  optimised?: OtherForm;
  written?: OtherForm;
}

/** `batch` is the one that was taken as nothing says it; `fits` the one for `device_bytes`. */
export interface EstimatedPeak {
  bytes: number | null;
  bytes_kind?: "estimated" | "at_least";
  bytes_formula?: Formula;
  batch: number | null;
  fits: number | null;
  device_bytes: number;
}

/** Of a step: on a device at its best, on a calibrated machine, or both. */
export interface EstimatedTime {
  device: DevicePeak | null;
  kind: string;
  time_us: number | null;
  time_us_kind?: "estimated" | "at_least";
  time_us_formula?: Formula;
  time_interval_us: (number | null)[];
  rows: Estimate[];
  calibration?: Calibration;
  borrowed: Record<string, string>;
}

/** The graph that a device executed, and how large it is. */
export interface ExecutedGraph {
  device: string;
  kind: string;
  step: number;
  nodes: number;
  edges: number;
  sends: number;
  receives: number;
}

/** A label, and what there is to say about it; a label may come again. */
export interface FactRow {
  label: string;
  text: string;
}

/** What ops of a family came to: their work by the time that they took of the step. */
export interface FamilyRate {
  family: string;
  ops: number;
  time_us: number;
  flops_per_second: number | null;
  bytes_per_second: number | null;
  fixed_us: number;
  spread: number;
}

export interface FileRow {
  path: string;
  format: string | null;
  used: boolean;
  why: string | null;
}

/** An op that puts elements into a queue; how long its runs took, None if none was traced. */
export interface Filler {
  name: string;
  op: string;
  runs: number;
  time_us: number | null;
}

/** `evidence` are numbers of this profile, `says` the same in a sentence. */
export interface Finding {
  rule?: string;
  rules?: string[];
  stage?: string | null;
  stages?: string[];
  advice?: string;
  code?: string | null;
  silence?: string;
  severity: "problem" | "hint";
  says: string;
  evidence: Record<string, number | string>;
  reason: string;
  gain: Gain | null;
  gain_reason: string | null;
  confidence: "high" | "medium" | "low";
}

/** Where something was met first: the number of its host, and its place in a table. */
export interface FirstPlace {
  host: number;
  at: number;
}

/** The largest batches in `budget_bytes`; None where nothing is asked to fit. */
export interface Fits {
  max_batch: number | null;
  safe_batch: number | null;
}

/** From the end of an execution to the start of one on another device that reads it. */
export interface Flow {
  name: string;
  source: Point;
  target: Point;
}

export interface FormatsResult {
  formats: KnownFormat[];
}

/** An op of a function that a stage calls: all its runs, on all threads. */
export interface FunctionRow {
  stage: string;
  name: string;
  op: string;
  runs: number;
  self_us: number | null;
}

/** A metric before and after the change; its unit is the end of its name. `model`: how known. */
export interface Gain {
  metric: string;
  before: number;
  after: number;
  kind: "measured" | "modelled";
  model: string;
}

/** `step` is the number of the step with most of it. */
export interface Gap {
  idle: string[];
  begin_us: number | null;
  length_us: number | null;
  step: number;
  meanwhile: Did[];
}

/** `fetched_by`: ops that fetch their own data. */
export interface GraphFacts {
  nodes_in_file: number;
  functions: number;
  signature: SignatureRow | null;
  fetched_by: string[];
}

/** A position in `processes` is the number of the process. */
export interface GraphTimeline {
  processes: string[];
  slices: Slice[];
  flows: Flow[];
  memory: MemoryUse[];
}

/** `trains`: it updates variables. `serves`: it was stored to predict (a signature or frozen). */
export interface GraphTraits {
  nodes: number;
  trains: boolean;
  serves: boolean;
  norms: Norms;
  constants: Constant[];
  constant_bytes: number;
  frozen: boolean;
  variables_read: number;
  open_batch: OpenTensor[];
  open_sizes: OpenTensor[];
  xla: string[];
  xla_dynamic: string[];
  nhwc_on_gpu: string[];
  loops: LoopBody[];
  training_ops: Record<string, string[]> | null;
  embeddings: Embedding[];
  placeholders: string[];
  fed_by_queue: boolean;
  quantised: boolean;
}

/** What TensorFlow's own SwappingPass takes for the peak: what a graph leaves open is 1 to it. */
export interface GrapplerSwap {
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  open_sizes: string[];
}

/** The ops of a graph that are of one type or in one scope. */
export interface GroupWork {
  count: number;
  float_ops: number | null;
  float_ops_kind?: "estimated" | "at_least";
  float_ops_formula?: Formula;
  bytes_read: number | null;
  bytes_read_kind?: "estimated" | "at_least";
  bytes_read_formula?: Formula;
  bytes_written: number | null;
  bytes_written_kind?: "estimated" | "at_least";
  bytes_written_formula?: Formula;
}

/** What one task holds. */
export interface Held {
  variables: number;
  params: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  bytes: number | null;
  bytes_kind?: "estimated" | "at_least";
  bytes_formula?: Formula;
}

/** A host beside the others; times are of an average step, or a median over steps. */
export interface HostBeside {
  host: string;
  own_us: number | null;
  slow_steps: number;
  waited_us: number | null;
  waits_for: string | null;
  caused_us: number | null;
  last_steps: number | null;
  gain_us: number | null;
  clock: ClockOffset;
  starts_after_us: number | null;
  input_bound: number | null;
  input_bound_kind?: "estimated" | "at_least";
  input_bound_formula?: Formula;
  own_us_by_step: (number | null)[];
}

/** Its rows of the answer, devices by their full names, and what is held against other hosts. */
export interface HostBrief {
  rank: number;
  host: string;
  steps: Steps;
  row: HostRow;
  devices: DeviceRow[];
  unused: string[];
  launches: Launches[];
  stragglers: Straggler[];
  missing: string[];
  input_share: number | null;
  meets: boolean;
  exposed: number[];
  origin_ns: number;
  meetings: Meetings;
  traits: HostTraits;
}

/** Hosts that are not like most: in `what`, what they have, and what the most have. */
export interface HostDifference {
  what: string;
  hosts: string[];
  has: string;
  usual: string;
}

/** What one host tells; `rank` is its place among the hosts, `marker_rule` what marks steps. */
export interface HostInput {
  rank: number;
  host: string;
  marker_rule: string | null;
  waiting: Waiting | null;
  hidden: Waiting | null;
  pipelines: InputPipeline[];
  device_side: number;
  copying: number;
  fetches: SessionFetch[];
}

export interface HostLeftOut {
  host: string;
  why: string;
}

/** The shares of time in which ops ran on the CPU: of the model, of its input, any. */
export interface HostOps {
  model_ops: number | null;
  input_ops: number | null;
  any_ops: number | null;
  pools: PoolRow[];
  outside_us?: number;
  outside_between_steps_us?: number;
}

/** One host among those of a capture. */
export interface HostRow {
  host: string;
  steps: number;
  median_us: number | null;
  input_bound: number | null;
  input_bound_kind?: "estimated" | "at_least";
  input_bound_formula?: Formula;
  breakdown: Record<string, number | null>;
  devices: number;
  busy_us: number | null;
  copy_wait_us: number | null;
  exposed_us: number | null;
  idle_us: number | null;
}

/** The steps of one host with all its devices; `rank` is its place among the hosts. */
export interface HostSteps {
  rank: number;
  host: string;
  steps: Steps;
  time: number[][];
  gross: number[][];
  count: number[][];
  ops_recorded: boolean;
  reads_tf_data: boolean;
  slow: SlowStep[];
  devices: DeviceSteps[];
  unused: string[];
  model_ops: number[];
  input_ops: number[];
  any_ops: number[];
  pools: PoolUse[];
  gaps: Gap[];
  launches: Launches[];
  stragglers: Straggler[];
  outside: number[] | null;
  between: number[] | null;
  missing: string[];
  origin_ns: number;
  meetings: Meetings;
  traits: HostTraits;
}

/** What a host is, as far as its capture and the record of the run say. */
export interface HostTraits {
  versions: Record<string, string>;
  devices: Record<string, number>;
  ops: Record<string, number>;
  programs: string[];
}

/** `known` places were as an index says; `read` were read now, and `written` is where to. */
export interface IndexUse {
  known: number;
  read: number;
  written: string[];
}

/** `advice` is what to change, what helps most first; `number` its place among all pipelines. */
export interface InputPipeline {
  host: string;
  iterators: number;
  calls: number;
  waited_us?: number | null;
  time_us?: number | null;
  period_us?: number | null;
  share?: number | null;
  bottleneck: string | null;
  bottleneck_median_us: number | null;
  advice: string[];
  algorithm?: string | null;
  cpu_budget?: number | null;
  ram_budget_bytes?: number | null;
  ram_used_bytes?: number | null;
  ram_of_machine_bytes?: number | null;
  threads?: number | null;
  intra_op_threads?: number | null;
  functions: FunctionRow[];
}

/** `bottleneck` is the stage the model waits for most; `work` sums up self times by kind. */
export interface InputResult {
  stages: InputStage[];
  bottleneck: string | null;
  waited_us?: number | null;
  time_us?: number | null;
  period_us?: number | null;
  share?: number | null;
  hidden_us: number | null;
  verdict: string | null;
  marker_rule: string | null;
  pipelines: InputPipeline[];
  work: Record<string, number | null>;
  device_side: number;
  fetches?: SessionFetch[];
  host?: string;
}

/** Nodes of one type that read the same shapes. */
export interface InputSignature {
  shapes: ((number | number[] | null)[])[];
  runs: number;
  defined: number;
  micros: number;
}

/** What hosts wait for input, of an average step, 0 to 1; `unlike` are far from the others. */
export interface InputSpread {
  median: number;
  median_deviation: number;
  lowest: number;
  lowest_host: string;
  highest: number;
  highest_host: string;
  hosts: number;
  unlike: string[];
}

/** None is what no call tells. `parallelism` is the usual one, `most_parallel` the highest. */
export interface InputStage {
  name: string;
  label: string;
  op: string | null;
  parent: string | null;
  pipeline: number;
  calls: number;
  total_us: number | null;
  self_us: number | null;
  self_share: number | null;
  blocking_us: number | null;
  unseen_us: number | null;
  asynchronous: boolean;
  parallelism: number | null;
  most_parallel: number | null;
  autotuned: boolean | null;
  autotune_mode: string | null;
  buffered: PrefetchBuffer | null;
  ready_ahead_us: number | null;
  batch_size: number | null;
  cycle_length: number | null;
  shapes: string | null;
  types: string | null;
  fused: string[];
  work: "demanded_file_read" | "advanced_file_read" | "preprocessing" | "enqueue";
  filled?: BufferFill;
}

export interface KerasResult {
  name: string;
  class: string;
  version: string | null;
  layers: LayerRow[];
}

/** The same in picoseconds; devices have their full names. `half_ps` is in 16 bits or fewer. */
export interface KernelSums {
  kernel: string;
  short_name: string;
  op: string;
  devices: string[];
  runs: number;
  total_ps: number;
  min_ps: number;
  max_ps: number;
  half_ps: number;
  launch: Launch;
  is_copy: boolean;
}

/** All runs of a kernel for one type of op, on all devices; `kernel` is its full name. */
export interface KernelTime {
  kernel: string;
  short_name: string;
  op: string | null;
  devices: string[];
  runs: number;
  total_us: number;
  min_us: number;
  mean_us: number;
  max_us: number;
  half_us: number;
  registers?: number | null;
  shared_bytes?: number | null;
  grid?: string | null;
  block?: string | null;
  occupancy?: number | null;
  uses_tensor_cores?: boolean | null;
  could_use_tensor_cores?: boolean;
  device_us?: number;
}

/** Of all kernels; `idle_us`: of those that could use tensor cores and do not. */
export interface KernelTotals {
  time_us: number;
  runs: number;
  kernels: number;
  idle_us: number;
  half_us: number;
  tensor_us: number;
}

/** What a host adds to the table of kernels; the rows are in the order of their keys. */
export interface KernelsPartial {
  rows: KernelSums[];
}

/** The key in JSON, where Python has the word for itself: class, from. */
export interface Key {
  name: string;
}

/** What of the peak is of one kind: activations, gradients, scratch. */
export interface KindBytes {
  kind: string;
  bytes: number;
}

/** As far as they are known; None is unknown, for a reason that is told once for all rows. */
export interface KnownCosts {
  params: number | null;
  float_ops: number | null;
  bytes: number | null;
  peak_bytes: number | null;
  residual_bytes: number | null;
  output_bytes: number | null;
  micros: number | null;
  accelerator_micros: number | null;
  cpu_micros: number | null;
  occurrence: number | null;
}

export interface KnownFormat {
  name: string;
  about: string;
  names: string[];
  recognised_by: string;
  gives: string;
  read: boolean;
}

/** What the layers compute that are known. */
export interface KnownWork {
  macs: number | null;
  macs_kind?: "estimated" | "at_least";
  macs_formula?: Formula;
  flops_all: number | null;
  flops_all_kind?: "estimated" | "at_least";
  flops_all_formula?: Formula;
  is_all: boolean;
}

/** `number` tells lanes of one name apart. `busy` is 0 to 1, in many equal stretches. */
export interface Lane {
  device: string;
  thread: string;
  events: number;
  busy_us: number;
}

/** `tracks` is how deep its events are nested; `top` are names with the most own time. */
export interface LaneOfTracks {
  process: number;
  name: string;
  tracks: number;
  events: number;
  busy_us: number;
  share: number;
  top: NameOfLane[];
}

/** How a kernel is launched; None is what the tracer did not write, or what differs. */
export interface Launch {
  registers: number | null;
  shared_bytes: number | null;
  grid: string | null;
  block: string | null;
  occupancy: number | null;
  uses_tensor_cores: boolean | null;
  could_use_tensor_cores: boolean;
}

/** Whether a device waited for the host to launch its kernels. */
export interface Launches {
  device: string;
  launches: number;
  bound_steps: number;
  median_kernel_us: number | null;
  median_delay_us: number | null;
  median_interval_us: number | null;
  idle_share: number | null;
  waited_us_by_step: (number | null)[];
}

export interface LayerParams {
  name: string;
  op: string;
  params: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  shapes: number[][];
  trainable: boolean;
}

export interface LayerRow {
  layer: string;
  class: string;
  trainable: boolean;
  params: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  weights: WeightRow[];
}

/** What of the time of a layer in a step was on devices, and what on threads of hosts. */
export interface LayerTime {
  device_us: number | null;
  host_us: number;
  device_min_us: number | null;
  device_max_us: number | null;
}

/** `by` is what a row is; `wide` shows whole names of kernels. */
export interface LayersResult {
  rows: LayersRow[];
  by: string;
  total?: ComputedCosts;
  time?: MeasuredTime;
  estimated_time?: EstimatedTime;
}

/** `named` is the name under what the table is about: layer, op, scope, node, ... */
export interface LayersRow {
  class?: string | null;
  output_shape?: (number | string | null)[] | null;
  params?: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  macs?: number | null;
  macs_kind?: "estimated" | "at_least";
  macs_formula?: Formula;
  flops?: number | null;
  flops_kind?: "estimated" | "at_least";
  flops_formula?: Formula;
  flops_all?: number | null;
  flops_all_kind?: "estimated" | "at_least";
  flops_all_formula?: Formula;
  activation_bytes?: number | null;
  activation_bytes_kind?: "estimated" | "at_least";
  activation_bytes_formula?: Formula;
  peak_bytes?: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  time_us?: number | null;
  time_us_kind?: "estimated" | "at_least";
  time_us_formula?: Formula;
  call?: number;
  reason?: string | null;
  device_us?: number | null;
  host_us?: number;
  device_min_us?: number | null;
  device_max_us?: number | null;
  count?: number;
  float_ops?: number | null;
  float_ops_kind?: "estimated" | "at_least";
  float_ops_formula?: Formula;
  bytes_read?: number | null;
  bytes_read_kind?: "estimated" | "at_least";
  bytes_read_formula?: Formula;
  bytes_written?: number | null;
  bytes_written_kind?: "estimated" | "at_least";
  bytes_written_formula?: Formula;
  name?: string;
  op?: string | null;
  runs?: number;
  self_us?: number;
  copy_us?: number | null;
  total_us?: number;
  min_us?: number;
  median_us?: number | null;
  median_us_kind?: "estimated" | "at_least";
  median_us_formula?: Formula;
  max_us?: number;
  bytes?: number | null;
  bytes_kind?: "estimated" | "at_least";
  bytes_formula?: Formula;
  flops_per_second?: number | null;
  bytes_per_second?: number | null;
  intensity?: number | null;
  peak_share?: number | null;
  bandwidth_share?: number | null;
  kernel?: string;
  short_name?: string;
  devices?: string[];
  mean_us?: number;
  half_us?: number;
  registers?: number | null;
  shared_bytes?: number | null;
  grid?: string | null;
  block?: string | null;
  occupancy?: number | null;
  uses_tensor_cores?: boolean | null;
  could_use_tensor_cores?: boolean;
  [key: string]: unknown;
}

/** A host that the answer is not of. */
export interface LeftOut {
  host: string;
  why: string;
}

/** Whether the sides are alike in something that decides what can be compared. */
export interface Likeness {
  what: string;
  before: string | null;
  after: string | null;
  same: boolean | null;
}

/** From a batch on, bytes are a line over it; `to` is None for the last piece. */
export interface LinePiece {
  from: number;
  to: number | null;
  slope: number;
  intercept: number;
}

/** The largest blocks that live at any of the moments: a row each, the largest first. */
export interface LivingBlocks {
  taken: Int32Array;
  given_back: Int32Array;
  bytes: Float64Array;
  name: Int32Array;
  kind: Int32Array;
  shape: Int32Array;
  allocator: Int32Array;
  names: string[];
  kinds: string[];
  shapes: string[];
  allocators: string[];
}

/** `left_out` runs were not asked for; they were compared with. */
export interface LogResult {
  runs: RunRow[];
  works: WorkRow[];
  index: IndexUse;
  left_out: number;
  noise: string | null;
}

/** Of one device: nodes that were placed there, ops that were executed by type. */
export interface Logged {
  placed: number;
  executed: Record<string, number>;
}

/** None for a value that is not a finite number. */
export interface LoggedLoss {
  tag: string;
  first: number | null;
  last: number | null;
  first_step: number;
  last_step: number;
}

/** `counts` is what a step of the log is: a step, or an epoch; `found_by` is the tag. */
export interface LoggedRun {
  counts: string;
  found_by: string;
  per_second: number | null;
  per_second_kind?: "estimated" | "at_least";
  per_second_formula?: Formula;
  median_us: number;
  first_step: number;
  last_step: number;
  time_us: number;
  sessions: number;
  tracing?: LoggedTracing;
  saving?: LoggedSaving;
  loss?: LoggedLoss;
}

/** How much longer a stretch of the log takes in which a checkpoint was saved. */
export interface LoggedSaving {
  each_us: number | null;
  each_us_kind?: "estimated" | "at_least";
  each_us_formula?: Formula;
  checkpoints: number;
}

/** A step in stretches of the log in which steps were traced, and in those without. */
export interface LoggedTracing {
  traced_us: number;
  untraced_us: number;
  share: number | null;
  share_kind?: "estimated" | "at_least";
  share_formula?: Formula;
  stretches: number;
}

/** A loop whose body multiplies matrices a round: a recurrent cell run step by step. */
export interface LoopBody {
  name: string;
  rounds: number | null;
  rounds_kind?: "estimated" | "at_least";
  rounds_formula?: Formula;
  ops: number;
  cell: string;
}

/** Of several runs the one with the peak; events and steps are those of all. */
export interface MeasuredDevice {
  peak_bytes: number;
  persistent_bytes: number | null;
  persistent_bytes_kind?: "estimated" | "at_least";
  persistent_bytes_formula?: Formula;
  total_bytes: number | null;
  total_bytes_kind?: "estimated" | "at_least";
  total_bytes_formula?: Formula;
  peak_us: number | null;
  peak_step: number | null;
  peak_at: string | null;
  baseline_bytes: number | null;
  baseline_bytes_kind?: "estimated" | "at_least";
  baseline_bytes_formula?: Formula;
  residue_bytes: number;
  attributed_bytes: number;
  before_capture_bytes: number | null;
  before_capture_bytes_kind?: "estimated" | "at_least";
  before_capture_bytes_formula?: Formula;
  lost_bytes: number;
  reserved_bytes: number;
  fragmentation?: number | null;
  fragmentation_kind?: "estimated" | "at_least";
  fragmentation_formula?: Formula;
  available_bytes?: number | null;
  available_bytes_kind?: "estimated" | "at_least";
  available_bytes_formula?: Formula;
  lifetime_peak_bytes?: number | null;
  lifetime_peak_bytes_kind?: "estimated" | "at_least";
  lifetime_peak_bytes_formula?: Formula;
  events: number;
  live_at_peak: Block[];
  curve: ((number | null)[])[];
  steps: StepMemory[];
  allocators: Record<string, AllocatorMemory>;
  interval: null;
  pieces: unknown[];
}

/** `estimated_peak_bytes` is what the graph beside the run told before it. */
export interface MeasuredMemory {
  memory_kind: string;
  devices: Record<string, MeasuredDevice>;
  batches: unknown[];
  max_batch: null;
  safe_batch: null;
  estimated_peak_bytes?: Record<string, number | Formula | null>;
  estimated_peak_bytes_kind?: "estimated" | "at_least";
  estimated_peak_bytes_formula?: Formula;
}

export interface MeasuredPeak {
  bytes: number | null;
  bytes_kind?: "estimated" | "at_least";
  bytes_formula?: Formula;
  with_variables: boolean;
}

/** With its values, which strings have none of. */
export interface MeasuredRow {
  name: string;
  key: string;
  dtype: string;
  shape: number[];
  bytes: number;
  role: string | null;
  statistics: ValueStatistics | null;
}

/** `steps` is None if nothing tells where steps begin, `device_us` if no device was recorded. */
export interface MeasuredTime {
  kind: string;
  by: string;
  steps: number | null;
  executions: number;
  self_us: number;
  device_us: number | null;
  host_us: number;
  copy_us: number | null;
  devices: number;
  pipeline_us: number;
  span_us: number;
  peak: PeakRates | null;
  rows: OpTime[];
  work_unknown_us?: number;
}

/** Which collectives a step has: `digest` is the same on hosts that have the same. */
export interface MeetingKind {
  digest: string;
  names: string[];
}

/** The collectives of a host, in the order of its steps; None for a step without. */
export interface Meetings {
  kinds: MeetingKind[];
  steps: (StepMeetings | null)[];
  exposed: number[];
}

/** A what-if that makes the peak smaller: its words, its peak, and the option that shows it. */
export interface MemoryPlan {
  what: string;
  total_bytes: number;
  option: string;
  max_batch: number | null;
  more_flops: number | null;
}

/** What an allocator had given out, the largest holders of it, and what they do not hold. */
export interface MemorySample {
  time: number;
  in_use: number;
  largest: ((string | number)[])[];
  rest: number;
}

/** Of the device with the most; bytes. `limit` is what the device or its allocator has. */
export interface MemoryTraits {
  device: string;
  total: number;
  measured: boolean;
  persistent: number | null;
  limit: number | null;
  batch: number | null;
  slope: number | null;
  max_batch: number | null;
  plans: MemoryPlan[];
  asked_bytes: number | null;
}

export interface MemoryUse {
  device: string;
  peak: number;
  samples: MemorySample[];
}

/** `slug` is the name that an error gives; `example` one as it was printed. */
export interface Message {
  slug: string;
  exit_code: number;
  meaning: string;
  example: string;
  advice: string;
}

export interface MessagesResult {
  messages: Message[];
}

/** Of something: where it was met first, and how much there is of it. */
export interface Met {
  place: FirstPlace;
  amount: number;
}

/** The key of a time: whole picoseconds, which add up, in the result; microseconds in JSON. */
export interface Micros {
  name: string;
}

export interface Mismatch {
  name: string;
  graph: string;
  checkpoint: string;
}

/** What is not there, what it would add, and the command that uses it. */
export interface MissingInput {
  what: string;
  adds: string;
  command: string;
}

export interface ModelRow {
  name: string;
  inputs: Used[];
  nodes: number | null;
  nodes_kind?: "estimated" | "at_least";
  nodes_formula?: Formula;
  params: ParamCounts;
  time: ModelTime;
}

export interface ModelTime {
  step_us: number | null;
  step_us_kind?: "estimated" | "at_least";
  step_us_formula?: Formula;
}

/** Largest first. */
export interface ModelsResult {
  models: ModelRow[];
}

export interface NameOfLane {
  name: string;
  own_us: number;
}

/** An event, and where it began and ended, 0 to 1 of the window. */
export interface NamedPlace {
  begin: number;
  end: number;
  name: string;
}

/** Activations, gradients and scratch in fewer bytes. */
export interface Narrower {
  kind: string;
  dtype: string;
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  saved_bytes: number | null;
  saved_bytes_kind?: "estimated" | "at_least";
  saved_bytes_formula?: Formula;
  persistent_bytes: number;
  saved_persistent_bytes: number;
  max_batch?: number | null;
}

/** Nothing marks steps. */
export interface NoSteps {
  steps: StepRow[];
  average: null;
  period: null;
  input_bound: number | null;
  input_bound_kind?: "estimated" | "at_least";
  input_bound_formula?: Formula;
  marker_rule: null;
  dropped: Dropped[];
  epochs?: EpochRow[];
  logged?: LoggedRun;
  captures?: CaptureRow[];
}

/** What one node cost in an average step; None is what the run does not tell. */
export interface NodeCost {
  name: string;
  op: string | null;
  runs: number;
  micros: number;
  requested: number | null;
  copies: number;
}

/** Of a node in all steps; `last` is its type, and the rank of the last host that ran it. */
export interface NodeSums {
  last: (number | string)[];
  runs: number;
  self_ps: number;
  requested: number;
  copy_ps: number;
}

/** What a node cost in an average step. */
export interface NodeTime {
  name: string;
  op: string | null;
  time_us: number;
  requested_bytes: number | null;
  runs: number;
}

/** Batch norms: `unfused` are built of small ops, by the scope that each is in. */
export interface Norms {
  unfused: string[];
  nodes: string[];
  passes: number;
  fused_passes: number;
  trained: boolean;
  fused: number;
  under_cond: string[];
  zeros: string[];
}

/** `total` is the sum of this row and all rows below it; `nodes` how many there are. */
export interface OpCostRow {
  op: string;
  self: KnownCosts;
  occurrence: number;
}

export interface OpCostsResult {
  rows: OpCostRow[];
  total: KnownCosts;
}

/** FLOPs that are said, of how many nodes; how many variables are trained. */
export interface OpLogFacts {
  float_ops: number;
  nodes: number;
  trained: number;
  has_code: boolean;
}

/** An op takes `fixed_us`, and so long for each FLOP and each byte; none of them is negative. */
export interface OpRate {
  fixed_us: number;
  us_per_flop: number;
  us_per_byte: number;
  spread: number;
}

/** What is known of an op type; `reuse` are the inputs whose memory its output may take. */
export interface OpRule {
  op: string;
  family: string;
  macs: boolean;
  flops: boolean;
  float_ops: boolean;
  values: boolean;
  alias: number | null;
  reuse: number[];
  scratch: boolean;
}

/** Executions under one name; the least, middle and most are of one execution's own time. */
export interface OpTime {
  name: string;
  op: string | null;
  runs: number;
  self_us: number;
  device_us: number | null;
  host_us: number;
  copy_us: number | null;
  device_min_us: number | null;
  device_max_us: number | null;
  total_us: number;
  min_us: number;
  median_us: number | null;
  median_us_kind?: "estimated" | "at_least";
  median_us_formula?: Formula;
  max_us: number;
  flops: number | null;
  flops_kind?: "estimated" | "at_least";
  flops_formula?: Formula;
  bytes: number | null;
  bytes_kind?: "estimated" | "at_least";
  bytes_formula?: Formula;
  flops_per_second: number | null;
  bytes_per_second: number | null;
  intensity: number | null;
  peak_share: number | null;
  bandwidth_share: number | null;
  [key: string]: unknown;
}

/** A row of one host or of several: what threads took, and what devices did; None is nothing. */
export interface OpTimeSums {
  name: string;
  op: string | null;
  host: TimeSums | null;
  device: TimeSums | null;
}

/** What a host adds to the table of op times; the rows are in the order of their names. */
export interface OpTimesPartial {
  by: string;
  rows: OpTimeSums[];
  steps: number[];
  pipeline_ps: number;
  first_ps: number;
  last_ps: number;
  peak: DevicePeak | null;
  devices: string[];
  threads: Record<string, number>;
  working: string[];
}

/** FLOPs and bytes of the executions whose work is known, and their own time. */
export interface OpWork {
  runs: number;
  self_ps: number;
  flops: unknown;
  bytes: unknown;
  unknown: number;
  unknown_ps: number;
}

export interface OpenTensor {
  name: string;
  shape: string;
}

/** By device. */
export interface OtherBatch {
  batch: number;
  peak_bytes: Record<string, number | Formula | null>;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  total_bytes: Record<string, number | Formula | null>;
  total_bytes_kind?: "estimated" | "at_least";
  total_bytes_formula?: Formula;
}

export interface OtherDevice {
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  total_bytes: number | null;
  total_bytes_kind?: "estimated" | "at_least";
  total_bytes_formula?: Formula;
}

/** The same step with the other graph: as written, or as a default session rewrites it. */
export interface OtherForm {
  devices: Record<string, OtherDevice>;
  batches: OtherBatch[];
}

/** Estimated, of the device that needs most; the first curve is the model as it is. */
export interface OverBatches {
  computed: string;
  batches: Float64Array;
  curves: BatchCurve[];
  limit_bytes: number;
  safe_batch: number | null;
  unknown: string;
  batch: number;
  peak: Amount;
  persistent: Amount;
  total: Amount;
  peak_at: string;
  kinds: KindBytes[];
}

/** What a row took in steps on the device with the least of it, and on the one with the most. */
export interface OverDevices {
  least_ps: number;
  most_ps: number;
}

/** What is shown of a profile, in the order of the page. */
export interface Page {
  title: string;
  subtitle: string;
  version: string;
  sections: Section[];
  absent: Absent[];
  notes: string[];
}

/** What there is to know first, in a sentence; `tone` is problem, hint or fine. */
export interface PageVerdict {
  text: string;
  tone: string;
  section: string;
}

/** `written` has `bytes`; `absent` are sections with nothing to show, or without room. */
export interface PageWritten {
  written: string[];
  bytes: number;
  sections: SectionSize[];
  absent: Absent[];
  notes: string[];
}

/** By what they are for; `bytes` by dtype. */
export interface ParamCounts {
  trainable: number | null;
  trainable_kind?: "estimated" | "at_least";
  trainable_formula?: Formula;
  non_trainable: number | null;
  non_trainable_kind?: "estimated" | "at_least";
  non_trainable_formula?: Formula;
  optimizer: number | null;
  optimizer_kind?: "estimated" | "at_least";
  optimizer_formula?: Formula;
  other: number | null;
  other_kind?: "estimated" | "at_least";
  other_formula?: Formula;
  total: number | null;
  total_kind?: "estimated" | "at_least";
  total_formula?: Formula;
  bytes: Record<string, number>;
}

/** `imbalance` is the bytes of the fullest task over the mean. */
export interface ParameterServers {
  tasks: Record<string, Held>;
  imbalance: number | null;
  fullest: string | null;
  largest_variable: string | null;
}

/** One execution; `by` tells how the one before it is known, which ended `wait_us` before. */
export interface PathLink {
  name: string;
  op: string | null;
  thread: string;
  start_us: number;
  time_us: number;
  wait_us: number;
  by: string | null;
}

/** Executions of one kind on the path, and their share of its time. */
export interface PathOp {
  op: string;
  runs: number;
  time_us: number;
}

/** What the device does in a second at its best. */
export interface PeakRates {
  flops: number;
  bytes: number;
  device: string;
}

/** Of the steps whose period is known. */
export interface Periods {
  median_us: number;
  mean_us: number;
  min_us: number;
  max_us: number;
  median_deviation_us: number;
}

/** Of the forward pass, the backward pass or the update. */
export interface PhaseCosts {
  macs: number | null;
  macs_kind?: "estimated" | "at_least";
  macs_formula?: Formula;
  flops_all: number | null;
  flops_all_kind?: "estimated" | "at_least";
  flops_all_formula?: Formula;
}

/** A part of training: its share of the op time of a step, or of its multiply-adds. */
export interface PhasePart {
  name: string;
  amount: Amount;
}

/** Own time of ops in a step, by the phase of training that they belong to. */
export interface PhaseTimes {
  forward: number;
  backward: number;
  update: number;
  other: number;
}

/** `about` is what it is, `bottleneck` what it waits for, in words; `advice` what to change. */
export interface PipelineShown {
  number: number;
  host: string;
  calls: number;
  share: number | null;
  about: string;
  bottleneck: string;
  advice: string[];
  stages: StageShown[];
}

/** One device in the average step. `asked` are the nodes of the graph that ask for it. */
export interface PlacedDevice {
  nodes: number | null;
  nodes_kind?: "estimated" | "at_least";
  nodes_formula?: Formula;
  asked: number | null;
  asked_kind?: "estimated" | "at_least";
  asked_formula?: Formula;
  params: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  variable_bytes: number | null;
  variable_bytes_kind?: "estimated" | "at_least";
  variable_bytes_formula?: Formula;
  time_us: number | null;
  time_us_kind?: "estimated" | "at_least";
  time_us_formula?: Formula;
  bytes: number | null;
  bytes_kind?: "estimated" | "at_least";
  bytes_formula?: Formula;
}

export interface PlacedNode {
  name: string;
  op: string;
  reads: string[];
  time_us: number | null;
}

export interface PlacementResult {
  devices: Record<string, PlacedDevice>;
  unplaced: Unplaced;
  copies: Copies[];
  copies_from: string | null;
  soft_placed: SoftPlaced[];
  partitions: ExecutedGraph[];
  parameter_servers: ParameterServers | null;
  logged: Record<string, Logged> | null;
  subgraphs?: DeviceGraph[];
}

export interface Point {
  process: number;
  lane: number;
  time: number;
}

/** How many of the threads of a pool are busy on average. */
export interface PoolRow {
  name: string;
  threads: number;
  busy_threads: number | null;
}

/** `busy` is the time within steps, summed over the threads. */
export interface PoolUse {
  name: string;
  threads: number;
  busy: number;
}

/** `function_line` is where the function begins, -1 if unknown. */
export interface PprofFrame {
  file: string;
  line: number;
  function: string;
  function_line: number;
}

/** Frames are outermost first; numbers in the file follow the order of the samples. */
export interface PprofSample {
  value: number;
  node: string;
  frames: PprofFrame[];
}

/** Elements; `empty` is the share of calls that found none. */
export interface PrefetchBuffer {
  median: number;
  limit: number | null;
  empty: number;
}

export interface ProcessOfLanes {
  name: string;
  is_device: boolean;
}

/** The best plan, or the one that was named; `plans` are all that were tried by their names. */
export interface Recompute {
  kind?: string;
  plan?: string;
  about?: string;
  peak_bytes?: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  saved_bytes?: number | null;
  saved_bytes_kind?: "estimated" | "at_least";
  saved_bytes_formula?: Formula;
  saved_share?: number;
  extra_flops?: number;
  extra_flops_share?: number;
  kept_tensors?: number;
  wrap: string[][];
  keep: string[];
  plans: RecomputePlan[];
  max_batch?: number | null;
}

export interface RecomputePlan {
  kind: string;
  plan: string;
  about: string;
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  saved_bytes: number | null;
  saved_bytes_kind?: "estimated" | "at_least";
  saved_bytes_formula?: Formula;
  saved_share: number;
  extra_flops: number;
  extra_flops_share: number;
  kept_tensors: number;
}

/** What the record does not say is left out. */
export interface RecordedRun {
  program?: string;
  arguments: string[];
  state?: string;
  exit_code?: number;
  ended_by?: string;
  started?: string;
  ended?: string;
  versions: Record<string, string>;
  devices: Record<string, number>;
  strategy?: string;
  batch?: number;
  ranks: number;
  steps?: number;
  first_step?: number;
  last_step?: number;
  sampled_us?: number;
}

/** The first Saver's answer, and every Saver's below it. */
export interface RestoreResult {
  matched?: string[];
  missing?: string[];
  not_in_checkpoint?: string[];
  mismatched?: Mismatch[];
  extra?: string[];
  savers: RestoredBy[];
}

/** `missing`: first what is not in the checkpoint, then what is not asked for at all. */
export interface Restored {
  matched: string[];
  missing: string[];
  not_in_checkpoint: string[];
  mismatched: Mismatch[];
  extra: string[];
}

export interface RestoredBy {
  name: string;
  matched?: string[];
  missing?: string[];
  not_in_checkpoint?: string[];
  mismatched?: Mismatch[];
  extra?: string[];
}

/** What every row tells, whatever was read; `time_us` is its own time in an average step. */
export interface RowCost {
  class: string | null;
  output_shape: (number | string | null)[] | null;
  params: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  macs: number | null;
  macs_kind?: "estimated" | "at_least";
  macs_formula?: Formula;
  flops: number | null;
  flops_kind?: "estimated" | "at_least";
  flops_formula?: Formula;
  flops_all: number | null;
  flops_all_kind?: "estimated" | "at_least";
  flops_all_formula?: Formula;
  activation_bytes: number | null;
  activation_bytes_kind?: "estimated" | "at_least";
  activation_bytes_formula?: Formula;
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  time_us: number | null;
  time_us_kind?: "estimated" | "at_least";
  time_us_formula?: Formula;
}

export interface RulesResult {
  ops: OpRule[];
}

/** What else there is to say of a run. */
export interface RunFacts {
  executions: number;
  is_period: boolean;
  pipeline_us: number;
  devices: Record<string, number>;
  step: string;
  input: string;
  waits_for: string;
  kernels: KernelTotals | null;
  host_us: number;
  copy_us: number;
  phase_copies: Record<string, number>;
  on_device: boolean;
  bound: string;
  slowest: string;
  missing: string[];
}

/** `when` is in UTC; `when_from` says who tells it: record, capture, name or file. */
export interface RunRow {
  path: string;
  when: string | null;
  when_from: string | null;
  kind: string;
  work: number | null;
  params: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  flops: number | null;
  flops_kind?: "estimated" | "at_least";
  flops_formula?: Formula;
  step_us: number | null;
  step_us_kind?: "estimated" | "at_least";
  step_us_formula?: Formula;
  steps: number;
  input_bound: number | null;
  input_bound_kind?: "estimated" | "at_least";
  input_bound_formula?: Formula;
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  change: number | null;
  significant: boolean | null;
  interval: number[] | null;
  before_us: number | null;
  compared: number;
  because?: Record<string, number>;
  state?: string;
  why: string | null;
}

/** `placed`: whether it tells of any node where it ran. A capture has no bytes of ops. */
export interface RunSeen {
  executions: number;
  steps: number;
  captured: boolean;
  placed: boolean;
}

/** What threads of hosts did, or devices; devices have their full names, and picoseconds. */
export interface RunSide {
  nodes: Record<string, NodeSums>;
  devices: Record<string, Met>;
  phases: Record<string, number>;
  executions: number;
  phase_copies: Record<string, number>;
}

/** `values`: with those of tensors; `confidential`: without what tells where it ran. */
export interface SaveResult {
  written: string[];
  bytes: number;
  files: SavedPart[];
  values: boolean;
  confidential: boolean;
}

/** A file as it can be named inside of what was written; `bytes` are unpacked. */
export interface SavedPart {
  name: string;
  format: string | null;
  bytes: number;
}

/** The total of every scope; `lost` is of how many nodes in it the cost is not known. */
export interface ScopeMetric {
  key: string;
  title: string;
  unit: string;
  about: string;
  unknown: string;
  totals: Float64Array | null;
  lost: Int32Array | null;
}

/** A row a scope or op, parents first; a root has the parent -1. Names are without the parent's. */
export interface ScopeTree {
  names: string[];
  parent: Int32Array;
  phase: Uint8Array;
  phases: string[];
  metrics: ScopeMetric[];
}

/** `kind` is the file of the page that shows it. */
export interface Section {
  kind: string;
  data: Record<string, unknown>;
}

/** What a section takes in the file. */
export interface SectionSize {
  kind: string;
  bytes: number;
}

/** What tells about placement; None is not there. */
export interface Seen {
  run: RunSeen | null;
  graph: boolean | null;
  graph_is_executed: boolean;
  log: number | null;
}

/** An op of session runs that takes elements from a queue or an iterator, its `source`. */
export interface SessionFetch {
  name: string;
  op: string;
  source: string | null;
  source_op: string | null;
  capacity: number | null;
  runs: number;
  waited_us: number | null;
  longest_us: number | null;
  filled_by: Filler[];
}

/** One of the sides: what it is at a glance. `captures` were measured, with `steps` in all. */
export interface SideRow {
  name: string;
  captures: number;
  steps: number;
  step_us: number | null;
  step_us_kind?: "estimated" | "at_least";
  step_us_formula?: Formula;
  input_bound: number | null;
  input_bound_kind?: "estimated" | "at_least";
  input_bound_formula?: Formula;
  params: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  flops: number | null;
  flops_kind?: "estimated" | "at_least";
  flops_formula?: Formula;
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
}

/** `short` is its name as far as it tells the sides apart; `breakdown` is an average step. */
export interface SideShown {
  short: string;
  side: SideRow;
  breakdown: Record<string, number | null>;
}

/** The one that is looked at, and the names of the others. */
export interface SignatureRow {
  name: string;
  outputs: TensorRow[];
  others: string[];
}

/** Of whole numbers from 0 on, such as picoseconds: the buckets in use and their counts. */
export interface Sketch {
  buckets: number[];
  counts: number[];
}

/** One execution. */
export interface Slice {
  name: string;
  process: number;
  lane: number;
  start: number;
  duration: number;
}

/** Why a step was slow: `at` is its place, `short` fits beside a bar. */
export interface SlowNote {
  at: number;
  short: string;
  text: string;
}

/** `grown` are the categories that took longer, the one that grew most first. */
export interface SlowStep {
  step: number;
  period_us: number | null;
  usual_us: number | null;
  grown: Record<string, number | null>;
  all_ops_factor: number | null;
  causes: Cause[] | null;
}

/** A node that ran elsewhere than its graph asks. */
export interface SoftPlaced {
  name: string;
  op: string;
  asked: string;
  ran: string;
}

/** `depth` is how far below what is read first; `how` tells parallelism, buffer and batch. */
export interface StageShown {
  stage: InputStage;
  depth: number;
  how: string;
  is_bottleneck: boolean;
  is_held_up: boolean;
}

/** How far apart hosts began a step, by the clocks of all corrected. */
export interface StartSkew {
  step: number;
  skew_us: number | null;
  first: string;
  last: string;
}

/** `median` is of the steps, `hosts` how many were compared. */
export interface StartSkews {
  median_us: number | null;
  within_us: number | null;
  hosts: number;
  steps: StartSkew[];
}

/** An average step: its wall-clock span, and the own time of its ops, which may overlap. */
export interface StepAverage {
  steps: number;
  executions: number;
  span_us: number;
  is_period: boolean;
  op_us: number;
  pipeline_us: number;
  requested: number | null;
  nodes: NodeCost[];
  devices: Record<string, number>;
  device_us: number | null;
  host_us: number;
  eager_us: number;
  copy_us: number;
  phases: Record<string, number>;
  phase_copies: Record<string, number>;
}

/** What a host adds. */
export interface StepAveragePartial {
  host: RunSide;
  device: RunSide;
  pipeline_ps: number;
  steps: number[];
  periods: number[];
  spans: Record<string, number[]>;
  requested: number | null;
  eager_ps: number;
}

export interface StepMark {
  number: number;
  begin: number;
  end: number;
}

/** Picoseconds on the clock of the host: when it came to each collective and when that ended. */
export interface StepMeetings {
  kind: number;
  begin: number[];
  end: number[];
  blocked: number[];
}

export interface StepMemory {
  step: number;
  start_bytes: number;
  peak_bytes: number;
  end_bytes: number;
}

/** The period of a step goes on to the next one, its marker may close before. */
export interface StepRow {
  step: number;
  period_us: number | null;
  marker_us: number | null;
  breakdown: Record<string, number | null>;
  tag?: string;
}

/** From when to when a step lasted, on the clock of the moments. */
export interface StepSpanShown {
  step: number;
  begin_us: number;
  end_us: number;
}

export interface StepTime {
  step: number;
  from_us: number;
  time_us: number;
}

/** Steps in order; `tags` is what the runs of a session were logged as, if they were. */
export interface StepTimes {
  numbers: Float64Array;
  periods: Float64Array;
  tags: string[] | null;
  categories: CategoryTimes[];
  median_us: number;
}

/** Picoseconds on the clock of the capture. */
export interface StepWindow {
  number: number;
  begin: number;
  end: number;
  until: number;
}

/** The steps of one host by time; `rule` is a word, `about` says what marked them. */
export interface Steps {
  rule: string;
  about: string;
  windows: StepWindow[];
  dropped: Dropped[];
  plane: number | null;
  line: number | null;
}

/** Of the first host; `devices`, `launches`, `stragglers` and `hosts` are of all. */
export interface StepsResult {
  steps: StepRow[];
  average: AverageStep;
  period: Periods;
  input_bound: number | null;
  input_bound_kind?: "estimated" | "at_least";
  input_bound_formula?: Formula;
  verdict: Verdict;
  marker_rule: string;
  marked_by: string;
  dropped: Dropped[];
  slow_steps: SlowStep[];
  devices: DeviceRow[];
  unused_devices: string[];
  host: HostOps;
  gaps: Gap[];
  launches: Launches[];
  stragglers: Straggler[];
  hosts: HostRow[];
  left_out: LeftOut[];
  missing: string[];
  between_hosts?: BetweenHosts;
  events?: Behind[];
  overhead?: TraceOverhead;
  epochs?: EpochRow[];
  logged?: LoggedRun;
  captures?: CaptureRow[];
}

/** `name` is for people, `key` is the file's. */
export interface StoredRow {
  name: string;
  key: string;
  dtype: string;
  shape: number[];
  bytes: number;
  role: string | null;
}

/** A device or host that was behind the others in `steps` of `of_steps`, usually by `behind`. */
export interface Straggler {
  kind: string;
  name: string;
  measure: string;
  steps: number;
  of_steps: number;
  behind_us: number | null;
  share: number;
}

/** What the answer is about: its name, and what was read of it in a line. */
export interface Subject {
  title: string;
  recognised: string;
}

/** `top` are the first of the `costliest`; `estimated_batch` is that of estimated memory. */
export interface SummaryResult {
  params: ParamCounts;
  macs?: number | null;
  macs_kind?: "estimated" | "at_least";
  macs_formula?: Formula;
  flops?: number | null;
  flops_kind?: "estimated" | "at_least";
  flops_formula?: Formula;
  flops_all?: number | null;
  flops_all_kind?: "estimated" | "at_least";
  flops_all_formula?: Formula;
  float_ops?: number | null;
  float_ops_kind?: "estimated" | "at_least";
  float_ops_formula?: Formula;
  uncounted_ops?: UncountedOps[] | null;
  phases?: Record<string, PhaseCosts> | null;
  computed?: string | null;
  symbols?: string[];
  peak_memory: Record<string, number | Formula | null> | null;
  peak_memory_kind?: "estimated" | "at_least";
  peak_memory_formula?: Formula;
  memory_kind: string | null;
  estimated_peak_memory?: Record<string, number | Formula | null>;
  estimated_peak_memory_kind?: "estimated" | "at_least";
  estimated_peak_memory_formula?: Formula;
  estimated_batch?: number;
  time: TimeResult;
  capture?: CaptureFacts;
  requested_bytes: number | null;
  requested_bytes_kind?: "estimated" | "at_least";
  requested_bytes_formula?: Formula;
  nodes: number | null;
  nodes_kind?: "estimated" | "at_least";
  nodes_formula?: Formula;
  function_nodes: number | null;
  function_nodes_kind?: "estimated" | "at_least";
  function_nodes_formula?: Formula;
  ops: Record<string, number>;
  inputs: TensorRow[];
  top: NodeTime[] | LayerParams[] | VariableParams[];
  top_by: string | null;
  checkpoint?: CheckpointResult;
  keras?: KerasResult;
  recorded?: RecordedRun;
  logged?: LoggedRun;
  advice?: Finding;
}

/** What comes back in time, tensor by tensor in `trips`; `everything` makes the step wait. */
export interface Swap {
  kind?: string;
  peak_bytes?: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  saved_bytes?: number | null;
  saved_bytes_kind?: "estimated" | "at_least";
  saved_bytes_formula?: Formula;
  moved_bytes?: number;
  tensors?: number;
  unhidden_us?: number | null;
  unhidden_us_kind?: "estimated" | "at_least";
  unhidden_us_formula?: Formula;
  step_us?: number | null;
  step_us_kind?: "estimated" | "at_least";
  step_us_formula?: Formula;
  step_interval_us?: (number | null)[];
  gigabytes_a_second: number;
  device: string;
  everything: SwapPlan;
  trips: SwapTrip[];
  grappler: GrapplerSwap | null;
  max_batch?: number | null;
}

export interface SwapPlan {
  kind: string;
  peak_bytes: number | null;
  peak_bytes_kind?: "estimated" | "at_least";
  peak_bytes_formula?: Formula;
  saved_bytes: number | null;
  saved_bytes_kind?: "estimated" | "at_least";
  saved_bytes_formula?: Formula;
  moved_bytes: number;
  tensors: number;
  unhidden_us: number | null;
  unhidden_us_kind?: "estimated" | "at_least";
  unhidden_us_formula?: Formula;
  step_us: number | null;
  step_us_kind?: "estimated" | "at_least";
  step_us_formula?: Formula;
  step_interval_us: (number | null)[];
}

/** A tensor that waits on the host, from when to when in a step. */
export interface SwapTrip {
  tensor: string;
  op: string;
  bytes: number;
  out_us: number | null;
  out_us_kind?: "estimated" | "at_least";
  out_us_formula?: Formula;
  after: string;
  back_us: number | null;
  back_us_kind?: "estimated" | "at_least";
  back_us_formula?: Formula;
  before: string;
}

/** One of several tables about the same; `rows` is how many there are, also if some were cut. */
export interface TableChoice {
  by: string;
  title: string;
  rows: number;
  table: TablePart;
}

/** Texts or numbers, a value a row; a number that is not there is NaN. */
export interface TableColumn {
  key: string;
  title: string;
  unit: string;
  texts: string[] | null;
  numbers: Float64Array | null;
  said: Uint16Array | null;
  words: CellWords[];
}

/** A table of any length, as columns. */
export interface TablePart {
  title: string;
  count: number;
  parts: TableColumn[];
}

/** What is fed to a model, or comes out of it. */
export interface TensorRow {
  name: string;
  dtype: string;
  shape: (number | null)[] | null;
}

/** What a checkpoint holds for a node: its values one after the other, and their shape. */
export interface TensorValue {
  values: unknown[];
  shape: number[];
}

/** `op_us` is the time of the devices where one was recorded, which `device_us` then is, too. */
export interface TimeResult {
  step_us: number | null;
  step_us_kind?: "estimated" | "at_least";
  step_us_formula?: Formula;
  op_us: number | null;
  op_us_kind?: "estimated" | "at_least";
  op_us_formula?: Formula;
  span_us: number | null;
  span_us_kind?: "estimated" | "at_least";
  span_us_formula?: Formula;
  steps: number | null;
  steps_kind?: "estimated" | "at_least";
  steps_formula?: Formula;
  device_us: number | null;
  device_us_kind?: "estimated" | "at_least";
  device_us_formula?: Formula;
  host_us: number | null;
  host_us_kind?: "estimated" | "at_least";
  host_us_formula?: Formula;
  phases: PhaseTimes | null;
  input_bound?: number;
  input_bound_kind?: "estimated" | "at_least";
  input_bound_formula?: Formula;
  host?: string;
  input_bound_host?: string;
}

/** Executions on one side, threads of hosts or devices, in picoseconds. */
export interface TimeSums {
  runs: number;
  self_ps: number;
  total_ps: number;
  min_ps: number;
  max_ps: number;
  of_steps_ps: number;
  work: OpWork;
  median_ps: number | null;
  sketch: Sketch | null;
  copy_ps: number;
  copy_of_steps_ps: number;
  devices: OverDevices | null;
}

export interface TimelineResult {
  window: Window;
  steps: StepTime[];
  lanes: Lane[];
  critical_path: CriticalPath;
}

/** The changes together: `rule` and `stage` are those of the first, the others of all. */
export interface Told {
  rule: string;
  rules: string[];
  stage: string | null;
  stages: string[];
  advice: string;
  code: string | null;
  silence: string;
}

/** Medians of the periods of steps, captured and not; `share` is what capturing adds. */
export interface TraceOverhead {
  traced_us: number;
  untraced_us: number;
  share: number | null;
  share_kind?: "estimated" | "at_least";
  share_formula?: Formula;
  varies: number;
  traced_steps: number;
  untraced_steps: number;
}

/** Ops of one type that are not in the numbers, and why. */
export interface UncountedOps {
  op: string;
  count: number;
  reason: string;
}

/** What nothing places. */
export interface Unplaced {
  nodes: number | null;
  nodes_kind?: "estimated" | "at_least";
  nodes_formula?: Formula;
  params: number | null;
  params_kind?: "estimated" | "at_least";
  params_formula?: Formula;
  variable_bytes: number | null;
  variable_bytes_kind?: "estimated" | "at_least";
  variable_bytes_formula?: Formula;
}

/** A file that was read. */
export interface Used {
  path: string;
  format: string;
}

/** Of the finite values, but for the counts. */
export interface ValueStatistics {
  count: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  std: number | null;
  nan: number;
  inf: number;
  zeros: number;
  histogram: Bin[];
}

export interface VariableParams {
  name: string;
  op: string | null;
  shape: (number | null)[];
  params: number;
  role: string | null;
}

/** What a step is bound by, how much of it that takes; `evidence` are the shares of all. */
export interface Verdict {
  name: "compute-bound" | "input-bound" | "launch-bound" | "copy-bound" | "communication-bound" | "host-bound" | "compilation-bound" | "not recorded";
  share: number;
  evidence: Record<string, number>;
}

/** The same as data; without anything to compare with, nothing is known. */
export interface Waited {
  waited_us: number | null;
  time_us: number | null;
  period_us: number | null;
  share: number | null;
}

/** What was waited of the time looked at, and a usual period of it. */
export interface Waiting {
  waited: number;
  time: number;
  period: number;
  periods: number;
  by_steps: boolean;
}

export interface WeightRow {
  name: string;
  shape: number[];
  dtype: string;
  trainable: boolean;
}

/** The stretch that is shown: a step, which was `chosen` if nobody asked for it, or not one. */
export interface Window {
  step: number | null;
  from_us: number;
  to_us: number;
}

/** Runs that do the same work: what tells it, such as parameters, batch and devices. */
export interface WorkRow {
  work: number;
  runs: number;
  facts: Record<string, string>;
  differs?: string;
}

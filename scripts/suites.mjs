/**
 * The long suites and measurements, one row each: `npm run suite` lists them. What takes minutes in CI has its short form in
 * `npm run test:all`. `run` is a program and its arguments; what follows the name on the command line is added to them. `needsTools`: it
 * imports tools of `tools/package.json`.
 */
const vitest = (...args) => ['npx', 'vitest', 'run', ...args]
const one = (...paths) => vitest('--maxWorkers=1', ...paths)
const program =
  (path) =>
  (...args) => ['node', path, ...args]
const test = (path, ...args) => program(`test/dist/${path}.js`)(...args)
const bench = (path) => ['node', `bench/dist/scale/${path}.js`]

/** @type {Readonly<Record<string, { about: string, time: string, run: readonly string[], env?: Readonly<Record<string, string>>, needsTools?: true }>>} */
export const suites = {
  model: {
    about: 'random runs, schedules and histories against the reference model',
    time: '40 min',
    run: vitest('test/model'),
    env: { VARVE_MODEL: 'long' },
  },
  kill: {
    about: '100 kills of a process under load, 100 of workers',
    time: '7 min',
    run: vitest('test/faults/kill', 'test/faults/workers'),
    env: { VARVE_KILLS: '100', VARVE_WORKER_KILLS: '100' },
  },
  'task-kills': {
    about: '100 kills of a process that restores and undoes',
    time: '3 min',
    run: one('test/faults/task-kills.test.ts'),
    env: { VARVE_TASK_KILLS: '100' },
  },
  'projection-kills': {
    about: '100 kills of a process that projects the log',
    time: '3 min',
    run: one('test/examples/usage.test.ts'),
    env: { VARVE_PROJECTION_KILLS: '100' },
  },
  'node-faults': {
    about: '100 kills and pauses of servers that share a store, of their database and of their blobs; needs PostgreSQL',
    time: '15 min',
    run: one('test/nodes/faults.test.ts'),
    env: { VARVE_NODE_FAULTS: '100' },
  },
  'replicated-faults': {
    about: '100 faults of servers that share a replicated database; needs PostgreSQL, Patroni, etcd, HAProxy',
    time: '35 min',
    run: one('test/nodes/replicated.test.ts'),
    env: { VARVE_REPLICATED_FAULTS: '100' },
  },
  'node-histories': {
    about: 'histories of clients of several servers that share a store: -- --nodes 3; needs PostgreSQL',
    time: '4 h',
    run: test('nodes/histories-main'),
  },
  'simulation-replicas': { about: 'schedules of one replica', time: '12 min', run: test('simulation/replicas/main') },
  'lost-primaries': {
    about: '100 servers killed under load and their disks lost, each restored from its replica',
    time: '15 min',
    run: one('test/replicas/lost-primaries.test.ts'),
    env: { VARVE_LOST_PRIMARIES: '100' },
  },
  'missing-files': {
    about: 'files taken from 10,000 replicas',
    time: '8 min',
    run: test('replicas/missing-files-main'),
  },
  healed: { about: '10,000 corruptions healed from a replica', time: '1 h', run: test('replicas/healed-main') },
  promotions: {
    about: '100 followers promoted while their primaries are under load, paused, cut off or killed',
    time: '30 min',
    run: one('test/replicas/promotions.test.ts'),
    env: { VARVE_PROMOTIONS: '100' },
  },
  subscriptions: {
    about: '1,500 random schedules of consumers that compete and are killed',
    time: '2 min',
    run: one('packages/core/src/following/schedules.test.ts'),
    env: { VARVE_SUBSCRIPTION_SCHEDULES: '500' },
  },
  faults: { about: 'every kind of fault, each in its short form', time: '3 min', run: vitest('test/faults') },
  power: {
    about: '1,001 power cuts on ext4, xfs and two file systems; needs root',
    time: '20 min',
    run: test('faults/power/main', '--cuts', '1000'),
  },
  syscalls: {
    about: '500 kills at the k-th system call; needs strace',
    time: '6 min',
    run: test('faults/syscalls/main', '--kills', '500'),
  },
  device: {
    about: '50 rounds of disks that fail; needs root, nbdkit, FUSE',
    time: '3 min',
    run: test('faults/device/main', '--rounds', '50'),
  },
  full: {
    about: 'eight ways in which a disk runs full; needs root',
    time: '6 min',
    run: test('faults/full/main', '--each'),
  },
  lock: {
    about: '200 rounds of eight processes that race for one directory',
    time: '4 min',
    run: test('faults/lock/main', '--rounds', '200'),
  },
  layouts: {
    about: 'wire tests, model and faults on every layout',
    time: '2 h',
    run: program('scripts/test-layouts.mjs')(),
  },
  node: {
    about: 'the tests of the engine on other versions of Node: -- 22 24',
    time: '5 min',
    run: program('scripts/test-on-node.mjs')(),
  },
  runtimes: {
    about: 'a store and a server on Bun, Deno, Node 20, 22 and 24, from the packed packages',
    time: '1 min',
    run: program('scripts/test-on-runtimes.mjs')(),
  },
  fuzz: {
    about: '100,000 inputs for each parser',
    time: '20 min',
    run: one('test/hostile/fuzz'),
    env: { FUZZ_RUNS: '100000' },
  },
  policies: {
    about: '1,000,000 random policies and requests against an independent evaluator',
    time: '1 min',
    run: one('test/access/policies'),
    env: { POLICY_TRIALS: '1000000' },
  },
  authorisation: {
    about: '20,000 schedules of stalled requests and changed permissions',
    time: '1 min',
    run: vitest('test/authorisation'),
    env: { VARVE_AUTHORISATION_SCHEDULES: '20000' },
  },
  attacks: {
    about: 'known and generated attacks on a server beside another client: -- --draws 10000',
    time: '20 min',
    run: test('attacks/main'),
  },
  calls: {
    about: '1,000,000 calls of the public API with values of wrong types',
    time: '4 min',
    run: one('test/calls'),
    env: { VARVE_CALLS: '1000000' },
  },
  bounds: {
    about: 'bodies of 1 GiB, 1,000 uploads at once, 64 file handles',
    time: '5 min',
    run: vitest('test/bounds'),
    env: { VARVE_BOUNDS: 'long' },
  },
  soak: {
    about: 'full load with kills, failing disks and jumping clocks: -- --minutes 30',
    time: '30 min',
    run: test('soak/main'),
  },
  slow: {
    about: '300 slow clients of each kind, 10,000 connections',
    time: '10 min',
    run: one('test/hostile/slow'),
    env: { SLOW_CLIENTS: '300', SLOW_TIMEOUT: 'default', SOCKETS: '10000' },
  },
  corruption: { about: '20,000 mutations of every kind of file', time: '90 min', run: test('corruption/main') },
  'mutated-proofs': {
    about: '100,000 changed proofs of the log, also with parts of other logs: none is accepted',
    time: '3 min',
    run: one('test/proofs'),
    env: { VARVE_MUTATED_PROOFS: '100000' },
  },
  'go-verifier': {
    about: "checkpoints, tiles and proofs checked by Go's sumdb; needs Go",
    time: '1 min',
    run: test('proofs/go-verifier'),
  },
  simulation: { about: '5,000,000 crash states of a machine', time: '30 min', run: test('simulation/main') },
  'planted-bugs': {
    about: 'every bug that is planted for the simulators: each must be found',
    time: '5 min',
    run: one('test/simulation/planted-bugs.test.ts', 'test/simulation/segment-bugs.test.ts'),
    env: { VARVE_PLANTED: 'long', VARVE_SEGMENTS: 'long' },
  },
  'simulation-segments': {
    about: 'crash states of blobs in segments',
    time: '10 min',
    run: test('simulation/segments-main'),
  },
  's3-tests': {
    about: 'ceph/s3-tests: -- CHECKOUT --python PYTHON, and --nodes 3 for servers that share a store',
    time: '8 min',
    run: test('s3-tests/main'),
  },
  clients: { about: 'sessions of the clients of test/clients/install.sh', time: '5 min', run: test('clients/main') },
  'sync-past': {
    about: 'aws-cli and rclone download 10,000 objects as of before a mass deletion: -- --objects 10000',
    time: '5 min',
    run: test('clients/sync-past'),
  },
  prometheus: {
    about:
      'a Prometheus server scrapes a loaded store and answers the dashboard and the alerts: -- --minutes 10 --workers 2',
    time: '10 min',
    run: test('deploy/main'),
    needsTools: true,
  },
  'golden-directories': {
    about: 'makes the golden directories of a new format: -- FOLDER',
    time: '1 min',
    run: test('compat/make-directories'),
  },
  'bench-against': {
    about: 'processor time beside another commit: -- COMMIT',
    time: '4 min',
    run: program('scripts/bench-against.mjs')(),
  },
  'bench-observer': { about: 'processor time with an observer and without', time: '4 min', run: bench('observer') },
  'bench-observed': {
    about: 'processor time of a server with metrics and logs and without',
    time: '5 min',
    run: bench('observed'),
  },
  'bench-past': {
    about: 'what retention, moments of the past, forks, undo, restore and subscriptions cost',
    time: '10 min',
    run: program('bench/dist/past/main.js')(),
  },
  'bench-ledger': {
    about: 'figures of this release for bench/ledger: -- --label MACHINE',
    time: '20 min',
    run: program('scripts/bench-ledger.mjs')(),
  },
  'bench-rivals': {
    about: 'the bench with the stores of others that bench/rivals lists',
    time: '1 h',
    run: program('scripts/bench-rivals.mjs')(),
  },
  'bench-import': {
    about: 'processor time of importing the packed packages, beside s3rver, fauxqs and miniflare: -- --rivals DIR',
    time: '2 min',
    run: program('scripts/bench-import.mjs')(),
  },
  'bench-test-servers': {
    about: 'import, start and reset of servers for tests, beside s3rver, fauxqs and miniflare: -- --rivals DIR',
    time: '3 min',
    run: program('scripts/bench-test-servers.mjs')(),
  },
  'bench-million': { about: 'a million objects in one bucket', time: '10 min', run: bench('million-objects') },
  'bench-deleted': { about: 'listings behind a million deleted objects', time: '10 min', run: bench('deleted-prefix') },
  'bench-blobs': { about: 'blob stores by themselves', time: '5 min', run: bench('blob-stores') },
  'bench-nodes': { about: 'requests with one, two and three nodes on PostgreSQL', time: '6 min', run: bench('nodes') },
  'bench-replicated': { about: 'processor time with a replica and without', time: '10 min', run: bench('replicated') },
  'bench-restores': { about: 'restores of 10,000,000 events from a replica', time: '2 h', run: bench('restores') },
  'bench-large-nodes': {
    about: 'openings, catching up and listings of a node on a long log in PostgreSQL: -- --events 10000000',
    time: '15 min',
    run: bench('large-nodes'),
  },
  capacity: {
    about: 'writes the tables of docs/scale.md: capacity and cost of sharded stores, and a simulation of them',
    time: '1 min',
    run: program('bench/dist/capacity/main.js')(),
  },
  'bench-workers': { about: 'one process and several', time: '5 min', run: bench('workers') },
  'bench-migration': { about: 'moving a million objects between layouts', time: '30 min', run: bench('migration') },
  'bench-moving': {
    about: 'moving a store to PostgreSQL and S3 and back while clients write: -- --objects 1000000; needs PostgreSQL',
    time: '2 min',
    run: bench('moving'),
  },
  'bench-recovery': {
    about: 'opening a store of a million events after a clean end and a kill',
    time: '10 min',
    run: bench('recovery'),
  },
  'electron-types': {
    about: 'the Electron example against the types of Electron, which it fetches',
    time: '1 min',
    run: ['node', 'scripts/electron-types.mjs'],
  },
  'bench-opening': { about: 'opening stores of many events', time: '10 min', run: bench('opening') },
  'bench-cost': {
    about: 'bytes written and kept by layout, and the memory of an open store',
    time: '3 min',
    run: program('scripts/bench-cost.mjs')(),
  },
  'bench-5gib': { about: 'an object of 5 GiB in and out', time: '5 min', run: bench('five-gibibytes') },
}

/** What no test runs of the pages, and why. A block or command that is neither run nor here fails `ledger.test.ts`. */

/** Commands that begin so, on every page. */
export const excusedPrograms: Readonly<Record<string, string>> = {
  docker: 'needs Docker: test/deploy carries out the Dockerfile and the services of the compose files',
  kubectl: 'needs a Kubernetes cluster',
  helm: 'needs a Kubernetes cluster: test/deploy renders the charts where Helm is installed',
  psql: 'needs a PostgreSQL server of production: test/nodes and packages/adapters/src/postgres-journal use one',
  pg_dump: 'needs a PostgreSQL server',
  less: 'shows a file to a person',
  patronictl: 'needs Patroni',
  systemctl: 'needs systemd as process 1: test/deploy/systemd.test.ts runs the command lines of the unit',
  timedatectl: 'needs systemd as process 1',
  rsync: 'needs a second machine',
}

export interface Excuse {
  readonly page: string | RegExp
  /** The beginning of the command, or the language of the block and its first line. */
  readonly starts: string
  readonly why: string
}

const ci = '.ci/run does it for every change'
const postgres = 'needs a PostgreSQL server: test/nodes and packages/adapters/src/postgres-journal use one'
const hours = 'takes minutes to hours: test/cli/benching.test.ts runs the same options on less'
const byHand = 'a suite that is run by hand'
const runbook = 'done by hand on the machine of the runbook'

/** Commands of one page. Those of `varve` are still checked: the command and its options exist. */
export const excusedCommands: readonly Excuse[] = [
  { page: 'CONTRIBUTING.md', starts: 'npm ', why: ci },
  { page: 'README.md', starts: 'npm ci\n', why: 'the first block of the page runs it' },
  { page: 'README.md', starts: 'npm test', why: ci },
  { page: 'README.md', starts: 'npm run test:all', why: ci },
  { page: 'README.md', starts: 'npm run check', why: ci },
  { page: 'README.md', starts: 'npm run format', why: 'changes the sources' },
  { page: 'README.md', starts: 'npm run site', why: ci },
  { page: 'README.md', starts: 'varve bench', why: hours },
  { page: 'deploy/README.md', starts: 'npm install --global', why: 'the package is in no registry yet' },
  {
    page: 'deploy/README.md',
    starts: 'install ',
    why: 'changes the machine: test/deploy/systemd.test.ts places the files',
  },
  { page: 'deploy/README.md', starts: 'cp deploy/cluster', why: 'the first step of the cluster, which needs Docker' },
  { page: 'deploy/README.md', starts: 'aws ', why: 'the last step of the cluster, which needs Docker' },
  { page: 'docs/bench.md', starts: 'varve bench', why: hours },
  { page: 'docs/bench.md', starts: 'npx varve bench', why: hours },
  { page: 'docs/bench.md', starts: 'npm run suite', why: byHand },
  { page: 'docs/cli.md', starts: 'varve bench', why: hours },
  { page: 'docs/cli.md', starts: 'pg_dump', why: 'needs a PostgreSQL server' },
  { page: 'docs/cli.md', starts: 'varve export s3://photos --with-history --to - | age', why: 'needs age' },
  { page: 'docs/cli.md', starts: 'varve accept-loss', why: postgres },
  { page: 'docs/cli.md', starts: 'varve journal create', why: postgres },
  { page: 'docs/clients.md', starts: 'VARVE_CLIENTS', why: byHand },
  { page: 'docs/clients.md', starts: 'npm run suite', why: byHand },
  {
    page: 'docs/identities.md',
    starts: 'aws sts',
    why: 'needs the AWS command line: packages/http/src/sts tests the operations',
  },
  { page: 'docs/nodes.md', starts: 'npm run cluster', why: 'needs PostgreSQL: test/nodes starts such nodes' },
  { page: 'docs/nodes.md', starts: 'varve serve', why: postgres },
  { page: 'docs/nodes.md', starts: 'varve migrate', why: postgres },
  { page: 'docs/nodes.md', starts: 'export ', why: 'a part of the commands after it' },
  {
    page: 'docs/observing.md',
    starts: 'NODE_OPTIONS',
    why: 'needs the packages of OpenTelemetry: test/cli/opentelemetry.test.ts has a stand-in',
  },
  {
    page: 'docs/observing.md',
    starts: 'npm install @opentelemetry',
    why: 'installs packages of others, which the test of spans does not need',
  },
  { page: 'docs/observing.md', starts: 'export OTEL', why: 'a part of the command after it' },
  { page: 'docs/postgres.md', starts: 'varve journal create', why: postgres },
  { page: 'docs/postgres.md', starts: 'varve serve', why: postgres },
  {
    page: 'docs/proofs.md',
    starts: 'varve checkpoint --witness',
    why: 'needs a witness: packages/varve/src/proofs has a stand-in',
  },
  {
    page: 'docs/proofs.md',
    starts: 'varve prove s3://photos/cat.jpg --checkpoint',
    why: 'needs the checkpoint of a witness',
  },
  {
    page: 'docs/proofs.md',
    starts: 'varve check-proof cat.tlog-proof --key @log.key --witness-key',
    why: 'needs the key of a witness',
  },
  {
    page: 'examples/electron/README.md',
    starts: 'npm install',
    why: 'needs the binary of Electron: test/examples/electron.test.ts has a stand-in',
  },
  {
    page: 'examples/electron/README.md',
    starts: 'npm run start:minimal',
    why: 'needs the binary of Electron: test/examples/electron-apps.test.ts has a stand-in',
  },
  {
    page: 'examples/electron/README.md',
    starts: 'npm run start:typescript',
    why: 'needs the binary of Electron: test/examples/electron-apps.test.ts has a stand-in',
  },
  { page: 'test/simulation/README.md', starts: 'npx vitest', why: ci },
  { page: 'test/simulation/README.md', starts: 'npm run suite', why: byHand },
  { page: 'test/simulation/README.md', starts: 'VARVE_SEGMENTS', why: byHand },
  { page: /^docs\/runbooks\//, starts: 'curl ', why: runbook },
  { page: /^docs\/runbooks\//, starts: 'df ', why: runbook },
  { page: /^docs\/runbooks\//, starts: 'ps ', why: runbook },
  { page: /^docs\/runbooks\//, starts: 'install ', why: runbook },
  { page: /^docs\/runbooks\//, starts: 'cp ', why: runbook },
  { page: /^docs\/runbooks\//, starts: 'diff ', why: runbook },
  { page: /^docs\/runbooks\//, starts: 'npm install --global', why: runbook },
  {
    page: 'docs/runbooks/database-older-than-blobs.md',
    starts: '',
    why: 'test/nodes/older-database.test.ts has its steps',
  },
]

const fragment = 'a part of a file'
const answer = 'shows an answer of the server'

/** Blocks that are for no shell. */
export const excusedBlocks: readonly Excuse[] = [
  { page: 'docs/access.md', starts: 'json\n{ "allowed"', why: answer },
  {
    page: 'docs/logs.md',
    starts: 'json\n{"level"',
    why: 'lines of a log: docs/audit-line.schema.json and test/cli compare such lines',
  },
  {
    page: 'docs/browsers.md',
    starts: 'html\n<form',
    why: 'a form with a signature that is abbreviated: packages/http/src/form tests forms',
  },
  {
    page: 'docs/browsers.md',
    starts: 'xml\n<CORSConfiguration',
    why: 'a document: packages/http/src/bucket-settings tests such documents',
  },
  {
    page: 'docs/embedding.md',
    starts: 'js\n// main.mjs',
    why: 'a fragment for Electron: test/examples/electron.test.ts runs the example',
  },
  { page: 'docs/encryption.md', starts: 'json\n{ "master"', why: `${fragment}, with keys that are abbreviated` },
  {
    page: 'docs/forks.md',
    starts: 'http\nPUT',
    why: 'a request without its signature: packages/http tests the header',
  },
  { page: 'docs/identities.md', starts: 'json\n{', why: 'a trust policy with an id that is to be filled in' },
  {
    page: 'docs/looking-back.md',
    starts: 'json\n{',
    why: 'a statement of a policy with an id that is to be filled in',
  },
  {
    page: 'docs/mcp.md',
    starts: 'json\n{',
    why: 'the configuration of a client: test/cli/mcp.test.ts starts such a session',
  },
  {
    page: 'docs/nodes.md',
    starts: '\nfrontend',
    why: 'a part of deploy/cluster/haproxy.cfg, which test/deploy checks',
  },
  {
    page: 'docs/notifications.md',
    starts: 'json\n{ "webhooks"',
    why: 'a configuration with a secret that is abbreviated',
  },
  { page: 'docs/postgres.md', starts: 'sql\n', why: postgres },
  { page: 'docs/postgres.md', starts: '\nhostssl', why: 'a line of pg_hba.conf' },
  { page: 'docs/postgres.md', starts: 'ts\n', why: `${postgres}. The block is compiled` },
  { page: 'docs/replicas.md', starts: 'ts\n', why: 'needs a second disk at /mnt. The block is compiled' },
  {
    page: 'docs/s3-blobs.md',
    starts: 'ts\n',
    why: 'needs a bucket of AWS: test/s3-blobs uses another server. The blocks are compiled',
  },
  {
    page: 'docs/archives.md',
    starts: 'ts\n',
    why: 'the commands of the page do the same and are run. The blocks are compiled',
  },
  {
    page: 'docs/serving.md',
    starts: 'json\n{',
    why: 'identities with secrets that are abbreviated: test/cli/serving.test.ts has such a file',
  },
  { page: 'docs/serving.md', starts: 'nginx\n', why: 'needs nginx' },
  { page: /^docs\/testing-from-/, starts: 'js\n// before', why: 'what the reader has, of another program' },
  { page: 'docs/testing-from-minio.md', starts: 'yaml\n# before', why: 'what the reader has, of another program' },
  {
    page: 'docs/tigris.md',
    starts: 'js\n',
    why: 'needs the SDK of Tigris: packages/http/src/tigris tests its headers',
  },
]

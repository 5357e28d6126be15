/**
 * Runs ceph/s3-tests against a server of this tree, in the `aws` dialect. The suite was written for the buckets that S3 made
 * before 2023, so the server makes those (`--bucket-defaults open`):
 *
 *     npm run suite s3-tests -- CHECKOUT [--python VENV/bin/python] [--filter EXPRESSION] [--report FILE]
 *     npm run suite s3-tests -- CHECKOUT --nodes 3 [--blobs 's3://BUCKET/PREFIX?region=...&endpoint=...']
 *
 * CHECKOUT is one of https://github.com/ceph/s3-tests, and the Python one that has what its requirements.txt names, and
 * pytest-timeout. Every test that is not marked as failing on AWS is run; what fails and is not excluded in `excluded.ts`
 * is a defect, and the script ends with 1.
 *
 * With `--nodes`, the server is that many servers of one store, on a PostgreSQL server that it starts. Each request goes to the next
 * of them. Without `--blobs`, the long objects are in another server of this tree.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { serveTree } from '../support/tree-server.ts'
import { suiteConfiguration } from './configuration.ts'
import { serveNodes } from './nodes.ts'
import { type AreaResult, judge, readReport } from './results.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: 'string', default: 'python3' },
    /** Of pytest's `-k`. */
    filter: { type: 'string' },
    /** Keeps pytest's report. */
    report: { type: 'string' },
    /** How many servers share a store. */
    nodes: { type: 'string' },
    /** The address of their blobs. Its credentials are those of the environment. */
    blobs: { type: 'string' },
  },
})
const checkout = positionals[0]
if (checkout === undefined) throw new TypeError('Name a checkout of ceph/s3-tests.')

/** Python modules lie beside the sources. */
const plugins = fileURLToPath(new URL('../../s3-tests', import.meta.url))
const scratch = await mkdtemp(join(tmpdir(), 'varve-s3-tests-'))
try {
  process.exitCode = await run(resolve(checkout))
} finally {
  await rm(scratch, { recursive: true, force: true })
}

async function run(suite: string): Promise<number> {
  const { identities, keyring, conf } = suiteConfiguration()
  const inScratch = (name: string) => join(scratch, name)
  const files = {
    identities: inScratch('identities.json'),
    keyring: inScratch('keyring.json'),
    conf: inScratch('s3tests.conf'),
  }
  await writeFile(files.identities, identities, { mode: 0o600 })
  await writeFile(files.keyring, keyring, { mode: 0o600 })
  const options = { bucketDefaults: 'open', identities: files.identities, keyring: files.keyring } as const
  const server = await (values.nodes === undefined
    ? serveTree({ store: inScratch('store'), ...options })
    : serveNodes(Number(values.nodes), { blobs: values.blobs, ...options }))
  try {
    await writeFile(files.conf, conf(server.port))
    const report = values.report === undefined ? join(scratch, 'report.xml') : resolve(values.report)
    await pytest(suite, { conf: files.conf, report })
    return show(suite, await readFile(report, 'utf8'))
  } finally {
    await server.stop()
  }
}

/** Ends with the status of pytest. The report shows what happened. */
async function pytest(
  suite: string,
  { conf, report }: { readonly conf: string; readonly report: string },
): Promise<void> {
  const files = ['s3tests/functional/test_s3.py', 's3tests/functional/test_headers.py']
  const options = [
    '-q',
    '-m',
    'not fails_on_aws',
    '--timeout',
    values.nodes === undefined ? '240' : '600',
    '--tb=short',
    `--junitxml=${report}`,
    '-p',
    'no:cacheprovider',
    '-p',
    'grants_in_any_order',
    ...(values.nodes === undefined ? [] : ['-p', 'one_connection_a_request']),
  ]
  const filter = values.filter === undefined ? [] : ['-k', values.filter]
  const child = spawn(values.python, ['-m', 'pytest', ...files, ...options, ...filter], {
    cwd: suite,
    env: { ...process.env, S3TEST_CONF: conf, PYTHONPATH: plugins },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await new Promise((ended) => child.once('close', ended))
}

function show(suite: string, xml: string): number {
  const commit = spawnSync('git', ['-C', suite, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout.trim()
  const { areas, needless, skipped } = judge(readReport(xml))
  const total = areas.reduce(sum, { area: 'together', passed: 0, failed: [], excluded: 0 })
  console.log(`\nceph/s3-tests ${commit || '(no git checkout)'}\n`)
  for (const { area, passed, failed, excluded } of [...areas, total]) {
    console.log(`${area.padEnd(22)} ${pad(passed)} passed ${pad(failed.length)} failed ${pad(excluded)} excluded`)
  }
  for (const name of total.failed) console.log(`failed: ${name}`)
  for (const name of skipped) console.log(`skipped by the suite: ${name}`)
  for (const name of needless) console.log(`excluded, and passed: ${name}`)
  return total.failed.length + needless.length === 0 ? 0 : 1
}

function sum(a: AreaResult, b: AreaResult): AreaResult {
  return {
    ...a,
    passed: a.passed + b.passed,
    failed: [...a.failed, ...b.failed],
    excluded: a.excluded + b.excluded,
  }
}

function pad(count: number): string {
  return String(count).padStart(4)
}

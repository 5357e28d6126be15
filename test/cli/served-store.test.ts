/** Every command on a store that a server has open: it works through the server, or is refused at once with a code and what helps. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { examples } from '#varve/cli/support/examples'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Running, scratchPaths, start, varve } from './run-varve.ts'

const next = scratchPaths()

interface Refused {
  readonly status: number
  readonly code: string
  readonly hint?: RegExp
}

type Case = readonly [args: string, expected?: Refused]

const mustBeClosed: Refused = { status: 3, code: 'StoreLocked', hint: /End that process first|end that process first/ }
const isHeld: Refused = { status: 3, code: 'StoreLocked', hint: /./ }

/** {dir} is the directory of the store, {base} one for files. Without an outcome, the command works through the server. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  mb: [['mb s3://made --dir {dir}']],
  put: [['put {base}/file s3://photos/a --dir {dir}']],
  cp: [['cp s3://photos/a s3://photos/b --dir {dir}']],
  get: [['get s3://photos/a {base}/got --dir {dir}']],
  cat: [['cat s3://photos/a --dir {dir}']],
  stat: [['stat s3://photos/a --dir {dir}']],
  ls: [['ls --dir {dir}'], ['ls s3://photos --dir {dir}']],
  log: [['log --dir {dir}']],
  history: [['history s3://photos/a --dir {dir}']],
  diff: [['diff s3://photos --from 1 --dir {dir}']],
  rm: [['rm s3://photos/b --dir {dir}']],
  restore: [['restore s3://photos --to now --dry-run --dir {dir}']],
  undo: [['undo --since 1 --dry-run --dir {dir}']],
  erase: [['erase s3://photos/b --all-versions --dry-run --dir {dir}']],
  fork: [['fork s3://photos s3://tried --dir {dir}']],
  merge: [['merge s3://tried --dry-run --dir {dir}']],
  drop: [['drop s3://tried --dir {dir}']],
  rb: [['rb s3://made --dir {dir}']],
  export: [['export s3://photos --to {base}/photos.varve --dir {dir}'], ['export {dir} --to {base}/store.varve']],
  import: [['import {base}/photos.varve s3://again --dir {dir}'], ['import {base}/store.varve {dir}', isHeld]],
  backup: [['backup {base}/copy --dir {dir}']],
  'restore-store': [['restore-store {base}/copy {dir}', { ...isHeld, hint: /Name another directory/ }]],
  verify: [
    ['verify --dir {dir}'],
    ['verify --scratch {base}/scratch --dir {dir}', mustBeClosed],
    ['verify --repair --dir {dir}', mustBeClosed],
    ['verify --salvage {base}/saved --dir {dir}', mustBeClosed],
  ],
  init: [['init --dir {dir}', { status: 1, code: 'InvalidArgument', hint: /another directory/ }]],
  serve: [['serve {dir} --port 0', mustBeClosed]],
  rebuild: [['rebuild --dir {dir}', mustBeClosed]],
  migrate: [
    ['migrate --to segments+tiered --dir {dir}', { ...mustBeClosed, hint: /End that process first.*`--endpoint`/ }],
    ['migrate --to level+files --dir {dir}', { ...mustBeClosed, hint: /End that process first.*`--endpoint`/ }],
    ['migrate --dir {dir}', { status: 2, code: 'UsageError', hint: /./ }],
  ],
  'keys list': [['keys list --dir {dir}']],
  'keys rotate': [['keys rotate --dir {dir}', mustBeClosed]],
  'clock show': [['clock show --dir {dir}']],
  'clock accept': [['clock accept --dir {dir}']],
  'retention show': [['retention show --dir {dir}']],
  'retention set': [['retention set 90d --yes --dir {dir}']],
  'retention remove': [['retention remove s3://photos --yes --dir {dir}']],
  'snapshot create': [['snapshot create one --dir {dir}']],
  'snapshot ls': [['snapshot ls --dir {dir}']],
  'snapshot rm': [['snapshot rm one --dir {dir}']],
  checkpoint: [['checkpoint --dir {dir}']],
  prove: [['prove s3://photos/a --out {base}/proof --dir {dir}']],
  'log-key': [['log-key --dir {dir}']],
  'quota set': [['quota set s3://photos --bytes 1GiB --dir {dir}']],
  'quota show': [['quota show s3://photos --dir {dir}']],
  'quota remove': [['quota remove s3://photos --dir {dir}']],
  'identities add': [['identities add ann --dir {dir}']],
  'identities list': [['identities list --dir {dir}']],
  'identities show': [['identities show ann --dir {dir}']],
  'identities policy': [['identities policy ann --none --dir {dir}']],
  'identities quota': [['identities quota ann --none --dir {dir}']],
  'identities rotate': [['identities rotate ann --dir {dir}']],
  'identities import': [['identities import {base}/identities.json --dir {dir}']],
  'identities revoke': [['identities revoke ann --all --dir {dir}']],
  'identities remove': [['identities remove ann --dir {dir}']],
  'task ls': [['task ls --dir {dir}']],
  'task stop': [['task stop none --dir {dir}', { status: 1, code: 'NoSuchTask', hint: /./ }]],
  usage: [['usage --dir {dir}']],
  promote: [['promote {dir}', { status: 1, code: 'InvalidRequest' }]],
  follow: [['follow {base}/copy {dir}', { status: 6, code: 'StoreNotFound', hint: /./ }]],
  demo: [['demo {dir}', { status: 2, code: 'UsageError', hint: /Name a directory/ }]],
  mcp: [['mcp {dir}']],
}

/** They use no store in a directory. */
const others = [
  'config check',
  'config show',
  'archive verify',
  'backups show',
  'backups verify',
  'keys create',
  'keys add',
  'accept-loss',
  'journal roles',
  'journal create',
  'check-proof',
  'completion',
  'bench',
]

describe('a store that a server has open', () => {
  let dir: string
  let base: string
  let server: Running

  beforeAll(async () => {
    ;[dir, base] = [next(), next()]
    await mkdir(base)
    await writeFile(join(base, 'file'), 'hello')
    const ben = { name: 'ben', accessKeyId: 'VARVEBENKEY', secretAccessKey: 'a-secret-of-some-length' }
    await writeFile(join(base, 'identities.json'), JSON.stringify({ identities: [ben] }), { mode: 0o600 })
    server = start(['serve', dir])
    await server.line((one) => one.includes('Serving '))
    await varve(['mb', 's3://photos', '--versioning', '--dir', dir])
  }, 120_000)
  afterAll(async () => {
    server.process.kill('SIGTERM')
    await server.ended
  })

  it('is known to every command', () => {
    expect([...Object.keys(cases), ...others].toSorted()).toEqual(Object.keys(examples).toSorted())
  })

  const all = Object.values(cases).flatMap((some) => some.map(([line, expected]) => ({ line, expected })))

  it.each(all)('answers: varve $line', async ({ line, expected }) => {
    const args = line.split(' ').map((one) => one.replace('{dir}', dir).replace('{base}', base))
    const { status, stderr } = await varve([...args, '--json'])
    if (expected === undefined) return expect({ status, stderr }).toMatchObject({ status: 0 })
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: { code: string; hint?: string } }
    expect({ status, ...error }).toMatchObject({
      status: expected.status,
      code: expected.code,
      ...(expected.hint && { hint: expect.stringMatching(expected.hint) as string }),
    })
    if (expected === mustBeClosed) expect(stderr).toContain(`held by process ${server.process.pid}`)
  })
})

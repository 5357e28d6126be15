/** Commands that do not know what the owner retains: whichever runs, what is kept can still be read as of the past. */
import { cp, rm } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type LayoutName, openStore } from 'varve'
import { startLockHolder } from '#varve/store/lock-holder.fixture'
import { treeOf } from '#varve/store/open-read-only.fixture'
import { files, read } from '../tidy/tree.ts'
import { scratchPaths, varve } from './run-varve.ts'

const next = scratchPaths()
const retentionMs = 30 * 24 * 3_600_000
const bodies = { small: 'small', large: 'large '.repeat(30_000), parts: 'part '.repeat(2_000) }

let made: string
let archive: string
let seq: number
let dir: string

/** Small and large objects and one of parts, each of which was overwritten, deleted or removed. */
async function storeWithRetainedBytes(path: string, layout?: LayoutName): Promise<number> {
  const store = await openStore(path, { retentionMs, keyring: 'own', ...(layout && { layout }) })
  await store.buckets.create('photos')
  await store.buckets.create('empty')
  await store.objects.put('photos', 'small', bodies.small)
  await store.objects.put('photos', 'large', bodies.large)
  const upload = await store.uploads.create('photos', 'parts')
  await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, bodies.parts)])
  const before = store.seq
  await store.objects.put('photos', 'small', 'newer')
  await store.objects.delete('photos', 'large')
  await store.objects.delete('photos', 'parts')
  await store.snapshots.create('made', { at: before })
  await store.buckets.fork('photos', 'forked-before')
  await store.close()
  return before
}

async function expectRetained(path: string, at: number): Promise<void> {
  const store = await openStore(path, { create: false, retentionMs })
  const past = await store.at(at)
  for (const [key, body] of Object.entries(bodies)) {
    expect((await (await past.objects.get('photos', key)).text()) === body, key).toBe(true)
  }
  await store.close()
}

type Args = (paths: { readonly dir: string; readonly other: string }) => readonly string[]

/** Every command, and every form of it that opens or changes a store. */
const forms: Readonly<Record<string, readonly Args[]>> = {
  log: [({ dir }) => ['log', '--dir', dir]],
  history: [({ dir }) => ['history', 's3://photos/small', '--dir', dir]],
  ls: [({ dir }) => ['ls', '--dir', dir], ({ dir }) => ['ls', 's3://photos', '--versions', '--dir', dir]],
  diff: [({ dir }) => ['diff', 's3://photos', '--from', '1', '--dir', dir]],
  cat: [({ dir }) => ['cat', 's3://photos/small', '--dir', dir]],
  stat: [({ dir }) => ['stat', 's3://photos/small', '--dir', dir]],
  mb: [({ dir }) => ['mb', 's3://another', '--dir', dir]],
  rb: [({ dir }) => ['rb', 's3://empty', '--dir', dir]],
  fork: [
    ({ dir }) => ['fork', 's3://photos', 's3://forked', '--dir', dir],
    ({ dir }) => ['fork', 's3://photos', 's3://forked', '--at', 'made', '--dir', dir],
  ],
  merge: [
    ({ dir }) => ['merge', 's3://forked-before', '--yes', '--dir', dir],
    ({ dir }) => ['merge', 's3://forked-before', '--dry-run', '--dir', dir],
  ],
  drop: [({ dir }) => ['drop', 's3://forked-before', '--dir', dir]],
  put: [({ dir }) => ['put', '-', 's3://photos/small', '--dir', dir]],
  get: [({ dir }) => ['get', 's3://photos/small', '-', '--dir', dir]],
  cp: [({ dir }) => ['cp', 's3://photos/small', 's3://photos/copy', '--dir', dir]],
  rm: [({ dir }) => ['rm', 's3://photos/small', '--dir', dir], ({ dir }) => ['rm', '-r', 's3://photos', '--dir', dir]],
  export: [({ dir, other }) => ['export', 's3://photos', '--with-history', '--to', other, '--dir', dir]],
  import: [({ dir }) => ['import', archive, 's3://imported', '--dir', dir]],
  verify: [
    ({ dir }) => ['verify', '--dir', dir],
    ({ dir }) => ['verify', '--repair', '--dir', dir],
    ({ dir, other }) => ['verify', '--salvage', other, '--dir', dir],
  ],
  // A second name would change the inode of a blob.
  backup: [({ dir, other }) => ['backup', other, '--no-link', '--dir', dir]],
  rebuild: [({ dir }) => ['rebuild', '--dir', dir]],
  migrate: [
    ({ dir }) => ['migrate', '--to', 'level+files', '--dir', dir],
    ({ dir }) => ['migrate', '--to', 'segments+tiered', '--dir', dir],
    ({ dir }) => ['migrate', '--to', 'lmdb+files', '--dir', dir],
    ({ dir }) => ['migrate', '--to', 'sqlite+tiered', '--dir', dir],
  ],
  keys: [({ dir }) => ['keys', 'list', '--dir', dir], ({ dir }) => ['keys', 'rotate', '--dir', dir]],
  clock: [({ dir }) => ['clock', 'show', '--dir', dir], ({ dir }) => ['clock', 'accept', '--dir', dir]],
  restore: [({ dir }) => ['restore', 's3://photos', '--to', '4', '--yes', '--dir', dir]],
  undo: [({ dir }) => ['undo', '--by', 'local', '--since', '4', '--yes', '--dir', dir]],
  erase: [({ dir }) => ['erase', 's3://photos/small', '--all-versions', '--live', '--yes', '--dir', dir]],
  retention: [({ dir }) => ['retention', 'show', '--dir', dir]],
  snapshot: [
    ({ dir }) => ['snapshot', 'create', 'one', '--dir', dir],
    ({ dir }) => ['snapshot', 'ls', '--dir', dir],
    ({ dir }) => ['snapshot', 'rm', 'made', '--dir', dir],
  ],
  checkpoint: [
    ({ dir }) => ['checkpoint', '--dir', dir],
    ({ dir }) => ['checkpoint', '--consistent-with', '2', '--dir', dir],
  ],
  prove: [({ dir }) => ['prove', 's3://photos/small', '--dir', dir]],
  'log-key': [({ dir }) => ['log-key', '--dir', dir], ({ dir }) => ['log-key', '--renew', '--dir', dir]],
  identities: [
    ({ dir }) => ['identities', 'list', '--dir', dir],
    ({ dir }) => ['identities', 'add', 'ann', '--dir', dir],
  ],
  quota: [
    ({ dir }) => ['quota', 'show', 's3://photos', '--dir', dir],
    ({ dir }) => ['quota', 'set', 's3://photos', '--bytes', '1GiB', '--dir', dir],
  ],
  task: [({ dir }) => ['task', 'ls', '--dir', dir]],
  usage: [({ dir }) => ['usage', '--dir', dir]],
  config: [({ dir }) => ['config', 'show', '--dir', dir]],
  bench: [({ dir }) => ['bench', '--smoke', '--dir', dir]],
  demo: [({ dir }) => ['demo', dir]],
  // Its input ends at once.
  mcp: [({ dir }) => ['mcp', dir]],
}

/** The first is the owner: what it is given is what holds. The others open no store. */
const ofTheOwner = [
  'serve',
  'init',
  'help',
  'completion',
  'accept-loss',
  'journal',
  'check-proof',
  'archive',
  'backups',
  'restore-store',
  'follow',
  'promote',
]

/** They refuse to work in a directory that holds something. */
const refusing = ['bench', 'demo']

/** They say with their status that a snapshot keeps what they were to erase. */
const keeping = ['erase']

beforeAll(async () => {
  made = next()
  seq = await storeWithRetainedBytes(made)
  archive = next()
  expect(await varve(['export', 's3://photos', '--to', archive, '--dir', made])).toMatchObject({ status: 0 })
})

describe('what the owner retains', () => {
  it.each(Object.entries(forms).flatMap(([name, all]) => all.map((args, i) => ({ name, args, form: i + 1 }))))(
    'is there after varve $name, form $form',
    async ({ name, args }) => {
      dir = next()
      await cp(made, dir, { recursive: true })
      const other = next()
      const { status, stderr } = await varve(args({ dir, other }))
      expect({ status, stderr }).toEqual(
        refusing.includes(name)
          ? expect.objectContaining({ status: 2 })
          : { status: keeping.includes(name) ? 1 : 0, stderr: '' },
      )
      await expectRetained(dir, seq)
      if (args({ dir, other }).includes('--salvage')) await expectRetained(other, seq)
      await rm(dir, { recursive: true })
    },
  )

  it('is not touched by any command while another process has the store', async () => {
    dir = next()
    await cp(made, dir, { recursive: true })
    const holder = startLockHolder()
    await holder.hold(dir)
    const before = await treeOf(dir)
    const all: readonly Args[] = [
      ...Object.values(forms).flat(),
      (paths) => ['serve', '--port', '0', '--dir', paths.dir],
    ]
    const lines = all.map((args) => args({ dir, other: next() }))
    const outcomes = await Promise.all(lines.map((line) => varve(line)))
    for (const [i, { status, stdout }] of outcomes.entries()) {
      // One only shows the options of a server, the other reads without a lock.
      if (['config', 'backup'].includes(lines[i]?.[0] ?? '')) continue
      expect(status, `${lines[i]?.join(' ')}: ${stdout}`).not.toBe(0)
    }
    expect(await treeOf(dir)).toEqual(before)
    await holder.end()
  }, 120_000)

  it.each(['segments+tiered', 'lmdb+files', 'sqlite+tiered'] as const)(
    'in %s is there after a migration to the layout the store has, and to another',
    async (layout) => {
      dir = next()
      const at = await storeWithRetainedBytes(dir, layout)
      for (const to of [layout, 'level+files']) {
        expect(await varve(['migrate', '--to', to, '--dir', dir])).toMatchObject({ status: 0 })
        await expectRetained(dir, at)
      }
    },
  )

  it('is named for every command there is', async () => {
    const { stdout } = await varve(['--help'])
    const [, listed = ''] = /Commands:\n([\s\S]*?)\n\n/.exec(stdout) ?? []
    const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
    expect(names.filter((name) => !ofTheOwner.includes(name)).sort()).toEqual(Object.keys(forms).sort())
  })

  it('can be erased by what the owner opened, and by nothing else that opens a store', () => {
    const sources = files.filter((path) => /^packages\/varve\/src\/.*(?<!\.test|\.test-d|\.fixture)\.ts$/.test(path))
    const using = (name: string) =>
      sources.filter((path) => new RegExp(`^import\\b[^;]*?\\b${name}\\b[^;]*? from`, 'm').test(read(path)))
    expect(using('openEngine')).toEqual([
      'packages/varve/src/control/open-listening.ts',
      'packages/varve/src/store/open-directory.ts',
      // Only when the store is promoted.
      'packages/varve/src/store/open-following.ts',
      'packages/varve/src/store/open-on-parts.ts',
    ])
    expect(using('openStore')).toEqual([
      // Only where there is no store.
      'packages/varve/src/cli/commands/init-command.ts',
      // Only in a directory that is empty.
      'packages/varve/src/cli/demo/make-demo.ts',
      // Only where there is no store.
      'packages/varve/src/cli/mcp/run-mcp.ts',
      // Only to follow a replica.
      'packages/varve/src/cli/serve/follow-command.ts',
      'packages/varve/src/cli/serve/open-kept.ts',
    ])
  })
})

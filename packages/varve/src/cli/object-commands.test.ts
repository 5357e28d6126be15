/** `varve mb, rb, put, get, cp, rm, stat`: a store without an S3 client, closed or open in another process. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { type Outcome, varve } from './run-main.fixture.ts'
import { served } from './served-store.fixture.ts'

const scratch = scratchDirectory()
const large = new Uint8Array(3_000_000).map((_, i) => (i * 31) % 256)
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}

interface Step {
  readonly args: readonly string[]
  /** The code of its error. */
  readonly fails?: string
  readonly stdin?: Uint8Array
}

/** Commands that use each other's results, in order. `FILES` stands for a directory. */
const session: readonly Step[] = [
  { args: ['mb', 's3://photos', '--versioning'] },
  { args: ['mb', 's3://plain', '--region', 'us-east-1', '--json'] },
  { args: ['mb', 's3://photos'], fails: 'BucketAlreadyOwnedByYou' },
  { args: ['mb', 's3://No', '--json'], fails: 'InvalidBucketName' },
  { args: ['put', 'FILES/small.txt', 's3://photos/a/small', '--content-type', 'text/plain', '--json'] },
  { args: ['put', 'FILES/small.txt', 's3://photos/a/', '--metadata', 'one=1', '--metadata', 'two=a=b'] },
  { args: ['put', '-', 's3://photos/large'], stdin: large },
  { args: ['put', '-', 's3://photos/large', '--no-overwrite', '--json'], fails: 'PreconditionFailed', stdin: large },
  { args: ['put', '-', 's3://photos/new', '--no-overwrite'], stdin: large.subarray(0, 10) },
  { args: ['put', '-', 's3://absent/a', '--json'], fails: 'NoSuchBucket', stdin: large },
  { args: ['put', 'FILES/absent', 's3://photos/a', '--json'], fails: 'InvalidArgument' },
  { args: ['put', 'FILES', 's3://photos/a'], fails: 'InvalidArgument' },
  { args: ['put', 'FILES/small.txt', `s3://photos/${'k'.repeat(1025)}`, '--json'], fails: 'KeyTooLongError' },
  { args: ['stat', 's3://photos/a/small.txt'] },
  { args: ['stat', 's3://photos/a/small', '--json'] },
  { args: ['stat', 's3://photos'] },
  { args: ['cp', 's3://photos/large', 's3://plain/copies/', '--json'] },
  { args: ['cp', 's3://photos/a/small.txt', 's3://plain'] },
  { args: ['cp', 's3://photos/never', 's3://plain'], fails: 'NoSuchKey' },
  { args: ['cat', 's3://plain/small.txt'] },
  { args: ['get', 's3://plain/copies/large', 'FILES/got'] },
  { args: ['get', 's3://plain/copies/large', 'FILES/folder', '--json'] },
  { args: ['get', 's3://photos/new', '-'] },
  { args: ['get', 's3://photos/never', 'FILES/never', '--json'], fails: 'NoSuchKey' },
  { args: ['rb', 's3://plain', '--json'], fails: 'BucketNotEmpty' },
  { args: ['rm', 's3://photos/new'] },
  { args: ['rm', 's3://photos/new', '--json'], fails: 'NoSuchKey' },
  { args: ['get', 's3://photos/new', '-', '--at', '9'] },
  { args: ['cp', 's3://photos/new', 's3://photos/back', '--at', '9', '--json'] },
  { args: ['get', 's3://photos/back', '-'] },
  { args: ['cp', 's3://photos/new', 's3://photos/back', '--at', '2'], fails: 'NoSuchKey' },
  { args: ['cp', 's3://photos/new', 's3://photos/back', '--at', '9999'], fails: 'MomentOutOfRange' },
  { args: ['rm', 's3://photos/never', '--version-id', 'wrong', '--json'], fails: 'InvalidArgument' },
  { args: ['rm', 's3://plain/small.txt'] },
  { args: ['rm', '--recursive', 's3://photos/a'] },
  { args: ['rm', '--recursive', 's3://plain', '--json'] },
  { args: ['rm', '-r', 's3://absent'], fails: 'NoSuchBucket' },
  { args: ['ls', 's3://photos', '--versions', '-r', '--json'] },
  { args: ['rb', 's3://plain'] },
  { args: ['rb', 's3://plain', '--json'], fails: 'NoSuchBucket' },
  { args: ['snapshot', 'ls'] },
  { args: ['snapshot', 'create', 'before-import'] },
  { args: ['snapshot', 'create', 'photos-only', 's3://photos', '--at', '9', '--json'] },
  { args: ['snapshot', 'create', 'before-import'], fails: 'SnapshotExists' },
  { args: ['snapshot', 'create', 'No', '--json'], fails: 'InvalidArgument' },
  { args: ['snapshot', 'create', 'other', 's3://absent', '--json'], fails: 'NoSuchBucket' },
  { args: ['snapshot', 'create', 'other', '--at', '9999'], fails: 'MomentOutOfRange' },
  { args: ['snapshot', 'ls'] },
  { args: ['snapshot', 'ls', '--json'] },
  { args: ['ls', 's3://photos', '-r', '--at', 'photos-only'] },
  { args: ['diff', 's3://photos', '--from', 'photos-only', '--to', 'before-import', '--json'] },
  { args: ['snapshot', 'rm', 'photos-only'] },
  { args: ['snapshot', 'rm', 'photos-only', '--json'], fails: 'NoSuchSnapshot' },
  { args: ['snapshot', 'rm', 'before-import', '--json'] },
  { args: ['ls', 's3://photos', '--at', 'before-import'], fails: 'NoSuchSnapshot' },
  { args: ['quota', 'set', 's3://photos', '--bytes', '1GiB'] },
  { args: ['quota', 'show', 's3://photos', '--json'] },
  { args: ['quota', 'set', 's3://photos', '--objects', '500', '--uploads', '9'] },
  { args: ['quota', 'show', 's3://photos'] },
  { args: ['quota', 'set', 's3://absent', '--object-bytes', '5', '--json'], fails: 'NoSuchBucket' },
  { args: ['quota', 'remove', 's3://photos'] },
  { args: ['identities', 'list'] },
  { args: ['identities', 'add', 'root'], fails: 'InvalidArgument' },
  { args: ['identities', 'add', 'ann', '--policy', 'FILES/small.txt', '--json'], fails: 'InvalidArgument' },
  { args: ['identities', 'show', 'ann'], fails: 'NoSuchEntity' },
  { args: ['identities', 'quota', 'ann', '--bytes', '1GiB', '--json'], fails: 'NoSuchEntity' },
  { args: ['erase', 's3://photos/large', '--all-versions', '--dry-run'] },
  { args: ['erase', 's3://photos/large', '--all-versions', '--live', '--dry-run', '--json'] },
  { args: ['put', '-', 's3://photos/secret'], stdin: large.subarray(0, 100) },
  { args: ['erase', 's3://photos/secret', '--all-versions', '--live', '--yes'] },
  { args: ['erase', 's3://photos/secret', '--all-versions', '--yes', '--json'] },
  { args: ['erase', 's3://photos/sec', '-r', '--dry-run'] },
  { args: ['erase', 's3://photos/back', '--version-id', 'v0', '--yes'], fails: 'NoSuchVersion' },
  { args: ['erase', 's3://absent', '-r', '--yes', '--json'], fails: 'NoSuchBucket' },
  { args: ['erase', 's3://photos', '-r', '--uploads', '--all-versions', '--dry-run'] },
  { args: ['erase', 's3://photos/large', '--uploads', '--yes', '--json'], fails: 'NoSuchKey' },
  { args: ['undo', '--since', '12', '--dry-run'] },
  { args: ['undo', 's3://photos', '--since', '12', '--yes', '--json'] },
  { args: ['undo', '--since', '12', '--yes'] },
  { args: ['undo', '--by', 'nobody', '--yes'], fails: 'InvalidArgument' },
  { args: ['undo', '--by', 'ann', '--since', '999999', '--yes', '--json'], fails: 'MomentOutOfRange' },
  { args: ['restore', 's3://photos/', '--to', '8', '--dry-run'] },
  { args: ['restore', 's3://photos/a', '--to', '8', '--yes', '--json'] },
  { args: ['restore', 's3://photos', '--to', '999999', '--yes'], fails: 'MomentOutOfRange' },
  { args: ['restore', 's3://absent', '--to', '1', '--yes', '--json'], fails: 'NoSuchBucket' },
  { args: ['ls', 's3://photos', '--versions', '-r'] },
  { args: ['task', 'ls'] },
  { args: ['task', 'stop', 'none'], fails: 'NoSuchTask' },
  { args: ['task', 'stop', 'none', '--json'], fails: 'NoSuchTask' },
  { args: ['retention', 'show'] },
  { args: ['retention', 'show', 's3://photos', '--json'] },
  { args: ['usage', 's3://photos'] },
  { args: ['usage', 's3://photos', '--json'] },
  { args: ['usage', 's3://absent'], fails: 'NoSuchBucket' },
  { args: ['log'] },
  { args: ['verify'] },
  { args: ['fork', 's3://photos', 's3://tried'] },
  { args: ['fork', 's3://photos', 's3://earlier', '--at', '9', '--json'] },
  { args: ['fork', 's3://photos', 's3://tried', '--json'], fails: 'BucketAlreadyOwnedByYou' },
  { args: ['fork', 's3://absent', 's3://other'], fails: 'NoSuchBucket' },
  { args: ['fork', 's3://photos', 's3://other', '--at', '9999'], fails: 'MomentOutOfRange' },
  { args: ['stat', 's3://tried'] },
  { args: ['ls', 's3://earlier', '--versions', '-r', '--json'] },
  { args: ['put', '-', 's3://earlier/of the fork'], stdin: large.subarray(0, 50) },
  { args: ['merge', 's3://earlier', '--dry-run'] },
  { args: ['merge', 's3://earlier', '--yes', '--json'] },
  { args: ['merge', 's3://earlier', '--yes'] },
  { args: ['merge', 's3://photos', '--yes'], fails: 'NotAFork' },
  { args: ['merge', 's3://absent', '--yes', '--json'], fails: 'NoSuchBucket' },
  { args: ['drop', 's3://photos', '--json'], fails: 'NotAFork' },
  { args: ['drop', 's3://tried'] },
  { args: ['drop', 's3://earlier', '--json'] },
  { args: ['drop', 's3://earlier'], fails: 'NoSuchBucket' },
]

/** The outcomes of the session, without what depends on the time and the place. */
async function played(where: readonly string[]): Promise<readonly Outcome[]> {
  const files = scratch.next()
  await mkdir(join(files, 'folder'), { recursive: true })
  await writeFile(join(files, 'small.txt'), 'hello')
  const outcomes: Outcome[] = []
  for (const { args, stdin } of session) {
    const given = args.map((each) => each.replace('FILES', files))
    const { status, stdout, stderr } = await varve([...given, ...where], stdin && chunksOf(stdin))
    const same = (output: string) =>
      output
        .replaceAll(files, 'FILES')
        .replaceAll(where.join(' '), 'WHERE')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/[0-9a-f]{32}|[0-9A-F]{16}/g, 'ID')
    outcomes.push({ status, stdout: same(stdout), stderr: same(stderr) })
  }
  for (const name of ['got', 'folder/large']) expect(Buffer.compare(await readFile(join(files, name)), large)).toBe(0)
  expect((await readdir(files)).sort()).toEqual(['folder', 'got', 'small.txt'])
  return outcomes
}

const ann = { id: 'ann', name: 'Ann' }

describe('a session of commands', () => {
  it('gives the same output for a closed store, an open one and a served one', async () => {
    const [closed, open] = [scratch.next(), scratch.next()]
    await (await openStore(closed, { actor: ann })).close()
    const store = await openStore(open, { actor: ann })
    const opened = await played(['--dir', open])
    await store.close()
    const expected = await played(['--dir', closed])
    const behind = await openStore(scratch.next(), { actor: ann })
    const server = await served(behind)
    const remote = await played(server.args)
    await server.close()
    await behind.close()
    for (const [i, { args }] of session.entries()) {
      expect(opened[i], args.join(' ')).toEqual(expected[i])
      expect(remote[i], args.join(' ')).toEqual(expected[i])
    }
    for (const [i, { args, fails = '' }] of session.entries()) {
      expect(expected[i], args.join(' ')).toMatchObject({ status: fails === '' ? 0 : 1 })
      expect(expected[i]?.stderr).toContain(fails)
    }
  })
})

describe.each(['closed', 'open'])('of a store that is %s', (state) => {
  let dir: string
  let store: Store | undefined
  beforeEach(async () => {
    dir = scratch.next()
    store = await openStore(dir)
    await store.buckets.create('photos')
    if (state === 'open') return
    await store.close()
    store = undefined
  })
  afterEach(() => store?.close())

  it('bytes go in and out as a stream, without change', async () => {
    await varve(['put', '-', 's3://photos/large', '--dir', dir], chunksOf(large))
    expect((await varve(['get', 's3://photos/large', '-', '--dir', dir])).stdout).toBe(text(large))
    await varve(['put', '-', 's3://photos/empty', '--dir', dir])
    expect(await varve(['get', 's3://photos/empty', '-', '--dir', dir])).toMatchObject({ status: 0, stdout: '' })
  })

  it('nothing is stored when the input fails', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield large
      throw new Error('the pipe broke')
    }
    expect(await varve(['put', '-', 's3://photos/a', '--dir', dir], broken())).toEqual({
      status: 1,
      stdout: '',
      stderr: 'varve: the pipe broke (Error)\n',
    })
    expect(await varve(['stat', 's3://photos/a', '--dir', dir])).toMatchObject({ status: 1 })
  })

  it('every object beneath a prefix is removed, in order, and no other', async () => {
    for (let i = 0; i < 20; i++) await varve(['put', '-', `s3://photos/${i % 2}/${i}`, '--dir', dir])
    const { stdout } = await varve(['rm', '-r', 's3://photos/1/', '--dir', dir])
    expect(stdout.trimEnd().split('\n')).toEqual([
      ...[1, 11, 13, 15, 17, 19, 3, 5, 7, 9].map((i) => `s3://photos/1/${i}  deleted`),
      expect.stringMatching(/^Deleted 10 objects\. Undo this with: varve undo --request \w+ --dir \S+$/),
    ])
    expect((await varve(['ls', '-r', 's3://photos', '--dir', dir])).stdout.trimEnd().split('\n')).toHaveLength(10)
  })

  it('what one command removes beneath a prefix, the command that it prints brings back', async () => {
    await varve(['mb', 's3://versioned', '--versioning', '--dir', dir])
    for (let i = 0; i < 20; i++) await varve(['put', '-', `s3://versioned/a/${i}`, '--dir', dir])
    const { stdout } = await varve(['rm', '-r', 's3://versioned/a/', '--dir', dir])
    const [, undo = ''] = /^Deleted 20 objects\. Undo this with: varve (undo --request .+)$/m.exec(stdout) ?? []
    expect(await varve([...undo.split(' '), '--yes'])).toMatchObject({ status: 0 })
    expect((await varve(['ls', '-r', 's3://versioned', '--dir', dir])).stdout.trimEnd().split('\n')).toHaveLength(20)
  })

  it.each([
    [['s3://photos/never'], 'There is no object s3://photos/never'],
    [['s3://photos/fold'], 'varve rm --recursive '],
    [['s3://photos/folder/a', '--version-id', 'null'], ''],
    [['-r', 's3://photos/nowhere/'], 'There is nothing beneath s3://photos/nowhere/'],
    [['-r', 's3://photos/nowhere/', '--json'], 'There is nothing beneath'],
  ])('what deletes nothing says so, and changes nothing: %j', async (args, message) => {
    await varve(['put', '-', 's3://photos/folder/a', '--dir', dir])
    const before = await varve(['log', '--json', '--dir', dir])
    const { status, stderr } = await varve(['rm', ...args, '--dir', dir])
    if (message === '') return expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(message) as string })
    expect(await varve(['log', '--json', '--dir', dir])).toEqual(before)
  })

  it('a file keeps its bytes when the object cannot be read', async () => {
    const path = scratch.next()
    await writeFile(path, 'what was there')
    expect(await varve(['get', 's3://photos/never', path, '--dir', dir])).toMatchObject({ status: 1 })
    expect(await readFile(path, 'utf8')).toBe('what was there')
  })
})

describe('a wrong command line', () => {
  it.each([
    [['mb', 's3://photos/key'], 'Expected s3://bucket, not'],
    [['mb', 'photos'], 'Expected s3://bucket'],
    [['rb', 's3://photos/'], 'Expected s3://bucket, not'],
    [['fork', 's3://photos'], 'missing required argument'],
    [['fork', 's3://photos', 's3://try/key'], 'Expected s3://bucket, not'],
    [['drop', 's3://photos/'], 'Expected s3://bucket, not'],
    [['put', '-'], 'missing required argument'],
    [['put', '-', 's3://photos'], 'Standard input has no name'],
    [['put', '-', 's3://photos/a/'], 'Standard input has no name'],
    [['put', 'file', 's3://photos/a', '--metadata', 'one'], 'Metadata has the form name=value'],
    [['put', 'file', 's3://photos/a', '--content-type', ''], 'must not be empty'],
    [['get', 's3://photos/a/'], 'no name for a file'],
    [['get', 's3://photos/..'], 'no name for a file'],
    [['get', String.raw`s3://photos/a\..\b`], 'no name for a file'],
    [['get', 's3://photos'], 'Expected s3://bucket/key'],
    [['cp', 's3://photos', 's3://photos/a'], 'Expected s3://bucket/key'],
    [['cp', 's3://photos/a', 'file'], 'Expected s3://bucket'],
    [['rm', 's3://photos'], 'Expected s3://bucket/key'],
    [['rm', '-r', 's3://photos/a', '--version-id', 'x'], '--version-id names one version'],
    [['stat', 's3://photos', '--version-id', 'x'], '--version-id needs s3://bucket/key'],
  ])('%j is refused with status 2 and a reason', async (args, why) => {
    const { status, stdout, stderr } = await varve([...args, '--dir', scratch.next()])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(why)
  })

  it('makes no store', async () => {
    const dir = scratch.next()
    expect(await varve(['mb', 's3://photos', '--dir', dir])).toMatchObject({ status: 6 })
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

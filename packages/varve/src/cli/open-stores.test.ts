/** Every command that reads gives the same output for a closed store and for one that is open elsewhere. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '@varve/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serve } from '../http.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { type Outcome, varve } from './run-main.fixture.ts'
import { served } from './served-store.fixture.ts'

const scratch = scratchDirectory()
const next = () => scratch.next()
const large = new Uint8Array(4 * 1024 * 1024 + 17).map((_, i) => (i * 31) % 256)
const oddKey = 'odd/\u001b[31mred\nline\u202Etxt.éé %2F+&=?#'
const options = { actor: { id: 'ann', name: 'Ann' }, keyring: 'own' } as const

interface Furnished {
  readonly dir: string
  readonly versions: readonly string[]
  readonly at: Date
}

/** A store with something of every kind. */
async function furnished(): Promise<Furnished> {
  const dir = next()
  const store = await openStore(dir, { ...options, layout: 'level+files' })
  const { buckets, objects, uploads } = store
  await buckets.create('photos', { versioning: 'Enabled' })
  await buckets.create('plain', { region: 'us-east-1', settings: { Tags: [{ key: 'a', value: 'b' }] } })
  const metadata = { '1': 'one', b: 'two', __proto__name: 'three' }
  const first = await objects.put('photos', 'a/b.txt', 'hello\n', { contentType: 'text/plain', metadata })
  const at = new Date()
  await new Promise((resolve) => setTimeout(resolve, 5))
  const second = await objects.put('photos', 'a/b.txt', 'hello again\n', { tags: [{ key: 'x', value: 'y' }] })
  await objects.delete('photos', 'a/b.txt')
  await objects.put('photos', 'large', large, { checksum: { algorithm: 'SHA256' } })
  await objects.put('photos', oddKey, 'odd')
  await objects.put('photos', 'sealed', 'secret', { encryption: { mode: 'AES256' } })
  await objects.copy({ bucket: 'photos', key: 'large' }, 'plain', 'copy', { storageClass: 'STANDARD_IA' })
  const upload = await uploads.create('plain', 'unfinished')
  await uploads.uploadPart(upload, 1, 'part')
  for (let i = 0; i < 30; i++) await objects.put('plain', `many/${i}`, '')
  await store.close()
  return { dir, versions: [first.versionId, second.versionId], at }
}

const commands: readonly ((of: Furnished) => readonly string[])[] = [
  () => ['log'],
  () => ['log', '--json'],
  () => ['log', '--from', '4', '--to', '9', '--json'],
  () => ['log', '--from', '1000000'],
  () => ['log', '--from', '0'],
  () => ['log', '--bucket', 'photos'],
  () => ['log', '--bucket', 'photos', '--prefix', 'a/', '--json'],
  () => ['log', '--bucket', 'plain', '--prefix', 'many/', '--from', '20', '--to', '30', '--json'],
  () => ['log', '--prefix', 'a/'],
  () => ['log', '--by', 'ann', '--type', 'BucketCreated', '--type', 'VersioningSet,DeleteMarkerAdded', '--json'],
  () => ['log', '--type', 'Nothing'],
  () => ['log', '--by', 'bob', '--json'],
  () => ['log', '--request', 'none', '--json'],
  ({ at }) => ['log', '--since', at.toISOString(), '--bucket', 'photos', '--json'],
  ({ at }) => ['log', '--until', at.toISOString(), '--json'],
  () => ['log', '--since', '4', '--until', '9', '--json'],
  () => ['log', '--since', '2001-01-01', '--until', '3'],
  () => ['log', '--until', '2001-01-01', '--json'],
  () => ['log', '--since', '999999', '--json'],
  () => ['history', 's3://photos/a/b.txt'],
  () => ['history', 's3://photos/a/b.txt', '--json'],
  () => ['history', `s3://photos/${oddKey}`, '--json'],
  () => ['history', 's3://photos/never'],
  () => ['history', 's3://photos/never', '--json'],
  () => ['diff', 's3://photos', '--from', '4'],
  () => ['diff', 's3://photos', '--from', '5', '--json'],
  () => ['diff', 's3://photos', '--from', '9', '--to', '4', '--json'],
  () => ['diff', 's3://plain', '--from', '1', '--json'],
  ({ at }) => ['diff', 's3://photos/a/', '--from', at.toISOString()],
  () => ['diff', 's3://absent', '--from', '1', '--json'],
  () => ['diff', 's3://photos', '--from', '999999'],
  () => ['ls'],
  () => ['ls', '--json'],
  () => ['ls', '--at', '1', '--json'],
  () => ['ls', 's3://photos'],
  () => ['ls', 's3://photos', '--json'],
  () => ['ls', 's3://photos', '--recursive', '--json'],
  () => ['ls', 's3://plain/many/', '--json'],
  () => ['ls', 's3://photos', '--recursive', '--versions'],
  () => ['ls', 's3://photos', '--versions', '--json'],
  ({ at }) => ['ls', 's3://photos/a/', '--at', at.toISOString(), '--json'],
  () => ['ls', 's3://photos/a/', '--at', '5', '--versions', '--json'],
  () => ['ls', 's3://absent'],
  () => ['ls', 's3://absent', '--json'],
  () => ['ls', 's3://photos', '--at', '2001-01-01', '--json'],
  () => ['ls', '--at', '999999'],
  () => ['ls', '--at', '999999', '--json'],
  () => ['cat', 's3://photos/large'],
  () => ['cat', 's3://photos/sealed'],
  () => ['cat', `s3://photos/${oddKey}`],
  () => ['cat', 's3://plain/many/3'],
  ({ versions: [id = ''] }) => ['cat', 's3://photos/a/b.txt', '--version-id', id],
  ({ at }) => ['cat', 's3://photos/a/b.txt', '--at', at.toISOString()],
  () => ['cat', 's3://photos/a/b.txt'],
  () => ['cat', 's3://photos/a/b.txt', '--json'],
  () => ['cat', 's3://photos/large', '--version-id', 'wrong', '--json'],
  () => ['cat', `s3://photos/${'k'.repeat(2000)}`, '--json'],
  () => ['stat', 's3://photos'],
  () => ['stat', 's3://plain', '--json'],
  () => ['stat', 's3://photos/large'],
  () => ['stat', 's3://photos/sealed', '--json'],
  () => ['stat', 's3://plain/copy', '--json'],
  ({ versions: [id = ''] }) => ['stat', 's3://photos/a/b.txt', '--version-id', id, '--json'],
  ({ at }) => ['stat', 's3://photos/a/b.txt', '--at', at.toISOString()],
  () => ['stat', 's3://photos/a/b.txt', '--json'],
  () => ['stat', 's3://absent'],
  () => ['get', 's3://photos/large', '-'],
  () => ['get', 's3://photos/never', '-', '--json'],
  () => ['verify'],
  () => ['verify', '--json'],
  () => ['verify', '--json', '--blobs', 'skip', '--views', 'check'],
  () => ['verify', '--json', '--tip', `3:${'A'.repeat(43)}`],
  () => ['keys', 'list'],
  () => ['keys', 'list', '--json'],
]

/** Damages a run of the large object, behind the bytes that a reader gets first. */
async function damaged(of: Furnished): Promise<void> {
  const names = await readdir(join(of.dir, 'blobs'), { recursive: true, withFileTypes: true })
  for (const entry of names.filter((each) => each.isFile())) {
    const file = await open(join(entry.parentPath, entry.name), 'r+')
    if ((await file.stat()).size === large.length) await file.write('damaged', 2.5 * 1024 * 1024)
    await file.close()
  }
}

/** The commands on the closed store, then on the same store while it is open, and through a server in front of it. */
async function everyWay(of: Furnished, lines: readonly (readonly string[])[]) {
  const run = async (where: readonly string[]) => {
    const outcomes: Outcome[] = []
    for (const args of lines) outcomes.push(await varve([...args, ...where]))
    return outcomes
  }
  const closed = await run(['--dir', of.dir])
  const store = await openStore(of.dir, options)
  const opened = await run(['--dir', of.dir])
  const server = await served(store)
  const remote = await run(server.args)
  await server.close()
  await store.close()
  return { closed, opened, remote }
}

describe('a command that reads', () => {
  let of: Furnished
  let ways: Awaited<ReturnType<typeof everyWay>>
  beforeAll(async () => {
    of = await furnished()
    ways = await everyWay(
      of,
      commands.map((make) => make(of)),
    )
  }, 300_000)

  it.each(
    commands.map((make, i) => [
      make({ dir: '', versions: ['ID'], at: new Date(0) })
        .join(' ')
        .slice(0, 80),
      i,
    ]),
  )('gives the same output of an open store and of a served one: %s', (_title, i) => {
    const { closed, opened, remote } = ways
    expect(opened[Number(i)]).toEqual(closed[Number(i)])
    expect(remote[Number(i)]).toEqual(closed[Number(i)])
  })

  it('gives output at all', () => {
    const { closed } = ways
    expect(closed.filter(({ status }) => status === 0).length).toBeGreaterThan(25)
    for (const { status, stdout, stderr } of closed)
      expect({ status, output: stdout + stderr }).not.toEqual({ status: 1, output: '' })
  })

  it('reports the same damage, after the same bytes', async () => {
    const own = await furnished()
    await damaged(own)
    const { closed, opened, remote } = await everyWay(own, [
      ['cat', 's3://photos/large'],
      ['cat', 's3://photos/large', '--json'],
      ['verify'],
      ['verify', '--json'],
    ])
    expect(opened).toEqual(closed)
    expect(closed.map(({ status }) => status)).toEqual([5, 5, 4, 4])
    expect(closed[0]?.stdout.length).toBeGreaterThan(1024 * 1024)
    // Over HTTP, bytes that cannot be read end early, without their code.
    expect(remote.map(({ status }) => status)).toEqual([1, 1, 4, 4])
    expect(remote.slice(2)).toEqual(closed.slice(2))
  }, 120_000)
})

describe('a server', () => {
  let store: Store
  beforeAll(async () => {
    store = await openStore(next(), options)
    await store.buckets.create('photos')
  })
  afterAll(() => store.close())

  it('shows its log to an identity that may read it, and nothing else', async () => {
    const server = await served(store, 'auditor')
    expect(await varve(['log', ...server.args])).toMatchObject({ status: 0, stderr: '' })
    for (const args of [['ls'], ['stat', 's3://photos'], ['rb', 's3://photos'], ['verify']]) {
      expect(await varve([...args, ...server.args])).toEqual({
        status: 1,
        stdout: '',
        stderr: 'varve: Access Denied (AccessDenied)\n',
      })
    }
    await server.close()
  })

  it('takes bytes as a stream', async () => {
    const server = await served(store)
    async function* chunks() {
      for (let at = 0; at < large.length; at += 100_000) yield large.subarray(at, at + 100_000)
    }
    expect(await varve(['put', '-', 's3://photos/large', ...server.args], chunks())).toMatchObject({ status: 0 })
    const { stdout } = await varve(['get', 's3://photos/large', '-', ...server.args])
    expect(Buffer.compare(Buffer.from(stdout, 'latin1'), large)).toBe(0)
    await server.close()
  })

  it('is named by a URL, and needs keys', async () => {
    for (const endpoint of ['127.0.0.1:9000', 'ftp://host', 'http://host/path', 'http://user@host', '']) {
      expect(await varve(['log', '--endpoint', endpoint])).toMatchObject({ status: 2, stdout: '' })
    }
    const { status, stderr } = await varve(['log', '--endpoint', 'http://127.0.0.1:9'])
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('--endpoint needs keys') as string,
    })
    for (const args of [['--read-only'], ['--follow', '--read-only']]) {
      expect(await varve(['log', ...args, '--endpoint', 'http://127.0.0.1:9'])).toMatchObject({ status: 2 })
    }
    expect(await varve(['verify', '--repair', '--endpoint', 'http://127.0.0.1:9'])).toMatchObject({ status: 2 })
  })

  it('that is not there, or is another one, is an error with a code', async () => {
    const server = await served(store)
    expect(await varve(['log', '--endpoint', 'http://127.0.0.1:9'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('ECONNREFUSED') as string,
    })
    await server.close()
    const plain = await serve({ store, identities: [], port: 0 })
    const again = await served(store)
    expect(await varve(['log', '--endpoint', plain.url])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('(InternalError)') as string,
    })
    await again.close()
    await plain.close({ graceMs: 0 })
  })
})

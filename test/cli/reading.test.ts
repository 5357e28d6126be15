/** `varve log`, `history`, `ls`, `cat`: what happened, what there is, and the bytes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeAll, describe, expect, it } from 'vitest'
import { openStore } from 'varve'
import { binary, jsonLines, scratchPaths, start, varve } from './run-varve.ts'

const dir = scratchPaths()()
const oddKey = 'odd/\u001b[31mred\nline\u202Etxt.éé'
const large = new Uint8Array(3_000_000).map((_, i) => (i * 31) % 256)
/** Positions of the events below. */
const seq = { created: 2, enabled: 3, first: 4, second: 5, deleted: 6, large: 7, odd: 8 }
let versions: readonly string[]

beforeAll(async () => {
  const store = await openStore(dir, { actor: { id: 'ann', name: 'Ann' } })
  await store.buckets.create('photos')
  await store.buckets.setVersioning('photos', 'Enabled')
  const first = await store.objects.put('photos', 'a/b.txt', 'hello\n')
  const second = await store.objects.put('photos', 'a/b.txt', 'hello again\n')
  await store.objects.delete('photos', 'a/b.txt')
  await store.objects.put('photos', 'large', large)
  await store.objects.put('photos', oddKey, 'odd')
  versions = [first.versionId, second.versionId]
  await store.close()
})

const inDir = (...args: string[]) => varve([...args, '--dir', dir])

describe('varve log', () => {
  it('shows every event in order, one line each', async () => {
    const { status, stdout, stderr } = await inDir('log')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(8)
    expect(lines[1]).toMatch(
      /^ +2 {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}BucketCreated {6}s3:\/\/photos {2}in eu {2}by Ann \(ann\)$/,
    )
    expect(lines[3]).toContain(`s3://photos/a/b.txt  version ${versions[0]}, 6 bytes`)
  })

  it('shows a part, as JSON the event itself', async () => {
    const { stdout } = await inDir('log', '--from', '3', '--to', '4', '--json')
    const store = await openStore(dir)
    const events = []
    for await (const event of store.log({ from: 3, to: 4 })) events.push(event)
    await store.close()
    expect(jsonLines(stdout)).toEqual(JSON.parse(JSON.stringify(events)))
  })

  it('shows what matches, by a local time too, which it shows resolved', async () => {
    const positions = async (...args: string[]) =>
      jsonLines((await inDir('log', '--json', ...args)).stdout).map((event) => (event as { seq: number }).seq)
    const inFolder = await positions('--bucket', 'photos', '--prefix', 'a/', '--by', 'ann', '--since', '2h ago')
    expect(inFolder).toEqual([seq.first, seq.second, seq.deleted])
    const { status, stdout, stderr } = await inDir('log', '--until', '2h ago')
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toMatch(/^Until \d{4}-\d\d-\d\dT[\d:.]+Z\.\n$/)
    expect(await inDir('log', '--since', 'soon-ago!')).toMatchObject({ status: 2, stdout: '' })
  })

  it('gives control characters no way to the terminal', async () => {
    const { stdout } = await inDir('log', '--from', String(seq.odd))
    expect(stdout).toContain(String.raw`s3://photos/odd/\x1b[31mred\x0aline\u{202e}txt.éé`)
    expect(stdout.trimEnd()).not.toMatch(/[\u0000-\u001f\u202e]/)
  })

  it('follows until it is interrupted, which is no failure', async () => {
    const following = start(['log', '--follow', '--dir', dir])
    await following.line((line) => line.includes(`  s3://photos/large`))
    const first = await Promise.race([following.ended, new Promise((resolve) => setTimeout(resolve, 1000, 'goes on'))])
    expect(first).toBe('goes on')
    following.process.kill('SIGINT')
    expect(await following.ended).toMatchObject({ status: 0, signal: null, stderr: '' })
  })

  it('ends quietly when its reader has had enough', async () => {
    const child = spawn('/bin/sh', ['-c', '"$0" "$1" log --dir "$2" | head -n 1', process.execPath, binary, dir])
    let text = ''
    child.stdout.on('data', (data: Buffer) => (text += data.toString()))
    child.stderr.on('data', (data: Buffer) => (text += data.toString()))
    await once(child, 'close')
    expect(text.split('\n')).toHaveLength(2)
  })
})

describe('varve history', () => {
  it('lists the events of one key', async () => {
    const { status, stdout } = await inDir('history', 's3://photos/a/b.txt', '--json')
    expect(status).toBe(0)
    expect(jsonLines(stdout).map((event) => [event['seq'], event['type']])).toEqual([
      [seq.first, 'VersionAdded'],
      [seq.second, 'VersionAdded'],
      [seq.deleted, 'DeleteMarkerAdded'],
    ])
    const people = await inDir('history', 's3://photos/a/b.txt')
    expect(people.stdout.trimEnd().split('\n')).toHaveLength(3)
  })

  it('reports a key without events', async () => {
    const { status, stderr } = await inDir('history', 's3://photos/never')
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'varve: Nothing ever happened to s3://photos/never. (NoSuchKey)\n',
    })
  })
})

describe('varve ls', () => {
  it('lists buckets', async () => {
    expect((await inDir('ls')).stdout).toMatch(/^\d{4}-\S+Z {2}photos\n$/)
    expect(jsonLines((await inDir('ls', '--json')).stdout)).toMatchObject([
      { kind: 'bucket', name: 'photos', region: 'eu', owner: { id: 'ann' }, versioning: 'Enabled' },
    ])
  })

  it('lists one level, and every key on request', async () => {
    const level = await inDir('ls', 's3://photos', '--json')
    expect(jsonLines(level.stdout)).toMatchObject([
      { kind: 'object', key: 'large', size: large.length },
      { kind: 'prefix', prefix: 'odd/' },
    ])
    const all = await inDir('ls', 's3://photos', '--recursive', '--json')
    expect(jsonLines(all.stdout).map(({ key }) => key)).toEqual(['large', oddKey])
    expect((await inDir('ls', 's3://photos')).stdout).toMatch(/ 3000000 {2}large\n +dir {2}odd\/\n$/)
  })

  it('lists below a prefix as of the past, by position and by time', async () => {
    const bySeq = await inDir('ls', 's3://photos/a/', '--at', String(seq.second), '--json')
    expect(jsonLines(bySeq.stdout)).toMatchObject([{ key: 'a/b.txt', size: 12, versionId: versions[1] }])
    const byTime = await inDir('ls', '--at', new Date().toISOString())
    expect(byTime.stdout).toContain('photos')
  })

  it('says which time and position a relative time stands for, and nothing more on standard output', async () => {
    const { stdout, stderr, status } = await inDir('ls', '--at', 'now', '--json')
    expect(status).toBe(0)
    expect(stderr).toMatch(/^As of \d{4}-\d\d-\d\dT\S+Z: position \d+\.\n$/)
    expect(jsonLines(stdout)).toMatchObject([{ kind: 'bucket', name: 'photos' }])
  })

  it('lists versions and delete markers, newest first', async () => {
    const { stdout } = await inDir('ls', 's3://photos/a/', '--versions', '--json')
    expect(jsonLines(stdout)).toMatchObject([
      { kind: 'marker', key: 'a/b.txt', isLatest: true },
      { kind: 'version', versionId: versions[1], isLatest: false },
      { kind: 'version', versionId: versions[0] },
    ])
    const people = await inDir('ls', 's3://photos/a/', '--versions')
    expect(people.stdout).toMatch(/ deleted {2}\S+ latest {2}a\/b\.txt\n/)
  })

  it.each([
    ['a position that never was', '999', 'MomentOutOfRange'],
    ['a time before the store', '2001-01-01', 'MomentOutOfRange'],
    ['a time in the future', '2999-01-01', 'MomentOutOfRange'],
    ['a snapshot that there is not', 'before-import', 'NoSuchSnapshot'],
  ])('refuses %s', async (_, moment, code) => {
    expect(await inDir('ls', '--at', moment)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(code) as string,
    })
  })
})

describe('varve cat', () => {
  it('writes the exact bytes', async () => {
    const child = spawn(process.execPath, [binary, 'cat', 's3://photos/large', '--dir', dir])
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    const [status] = (await once(child, 'close')) as [number]
    expect(status).toBe(0)
    expect(Buffer.compare(Buffer.concat(chunks), large)).toBe(0)
  })

  it('finds versions, the past, and keys with any character', async () => {
    const uri = 's3://photos/a/b.txt'
    expect((await inDir('cat', uri, '--version-id', versions[0] ?? '')).stdout).toBe('hello\n')
    expect((await inDir('cat', uri, '--at', String(seq.second))).stdout).toBe('hello again\n')
    expect((await inDir('cat', `s3://photos/${oddKey}`)).stdout).toBe('odd')
  })

  it('reports with a code what it cannot find, and writes nothing', async () => {
    expect(await inDir('cat', 's3://photos/a/b.txt', '--json')).toMatchObject({ status: 1, stdout: '' })
    const { stderr } = await inDir('cat', 's3://photos/a/b.txt', '--json')
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'NoSuchKey', details: { DeleteMarker: true } } })
  })

  it('is not disturbed by a reader that leaves', async () => {
    const command = '"$0" "$1" cat s3://photos/large --dir "$2" | head -c 10 | wc -c; echo done'
    const child = spawn('/bin/sh', ['-c', command, process.execPath, binary, dir])
    let text = ''
    child.stdout.on('data', (data: Buffer) => (text += data.toString()))
    child.stderr.on('data', (data: Buffer) => (text += data.toString()))
    await once(child, 'close')
    expect(text.split(/\s+/).filter((word) => word !== '')).toEqual(['10', 'done'])
  })
})

describe('looking', () => {
  it('erases nothing that retention keeps for someone else', async () => {
    const own = scratchPaths()()
    const store = await openStore(own, { retentionMs: 3_600_000, inlineMax: 0 })
    await store.buckets.create('photos')
    await store.objects.put('photos', 'a', 'bytes')
    await store.objects.delete('photos', 'a')
    await store.close()
    for (const command of ['log', 'ls', 'verify', 'rebuild']) {
      expect(await varve([command, '--dir', own])).toMatchObject({ status: 0 })
    }
    expect(await varve(['cat', 's3://photos/a', '--at', '3', '--dir', own])).toMatchObject({ stdout: 'bytes' })
  })
})

/** Who commands act as: the root of the server that has the store open, or would open it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from 'varve'
import { createIdentity, serve } from 'varve/http'
import { jsonLines, type Running, scratchPaths, start, varve } from './run-varve.ts'

const next = scratchPaths()
const local = { id: 'local', name: 'local' }

interface Known {
  readonly by: { readonly id: string; readonly name: string }
}

/** The actor of the newest event. */
async function newestActor(dir: string): Promise<Known['by'] | undefined> {
  const { stdout } = await varve(['log', '--json', '--dir', dir])
  return (jsonLines(stdout) as unknown as Known[]).at(-1)?.by
}

const ownerOf = async (dir: string, bucket: string): Promise<unknown> => {
  const { stdout } = await varve(['stat', `s3://${bucket}`, '--json', '--dir', dir])
  return (JSON.parse(stdout) as { readonly owner?: unknown }).owner
}

describe('a command on a store that a server has open', () => {
  let dir: string
  let server: Running
  let client: S3Client
  let root: Known['by']

  beforeAll(async () => {
    dir = next()
    server = start(['serve', dir, '--audit-log', join(next(), '..', 'audit.jsonl')])
    const line = await server.line((one) => one.includes('Serving '))
    const text = await readFile(join(dir, 'root-credentials.json'), 'utf8')
    const [credentials] = (JSON.parse(text) as { identities: [{ accessKeyId: string; secretAccessKey: string }] })
      .identities
    const endpoint = /http:\/\/[\d.:]+/.exec(line)?.[0] ?? ''
    client = new S3Client({ endpoint, region: 'eu', forcePathStyle: true, credentials })
    await client.send(new CreateBucketCommand({ Bucket: 'by-root' }))
    root = (await newestActor(dir)) as Known['by']
  }, 120_000)
  afterAll(async () => {
    client.destroy()
    server.process.kill('SIGTERM')
    await server.ended
  })

  it('acts as the root of the server, and root has what it makes', async () => {
    expect(root.name).toBe('root')
    expect(await varve(['mb', 's3://made', '--dir', dir])).toMatchObject({ status: 0, stderr: '' })
    expect(await newestActor(dir)).toEqual(root)
    expect(await ownerOf(dir, 'made')).toEqual(root)
    const { Buckets = [], Owner } = await client.send(new ListBucketsCommand({}))
    expect([Buckets.map(({ Name }) => Name), Owner?.ID]).toEqual([['by-root', 'made'], root.id])
    await client.send(new PutObjectCommand({ Bucket: 'made', Key: 'a', Body: 'hello' }))
    await client.send(new DeleteObjectCommand({ Bucket: 'made', Key: 'a' }))
    await client.send(new DeleteBucketCommand({ Bucket: 'made' }))
  })

  it('makes root the owner of what it imports, and of forks', async () => {
    await client.send(new PutObjectCommand({ Bucket: 'by-root', Key: 'a', Body: 'hello' }))
    const file = `${next()}.varve`
    for (const args of [
      ['export', 's3://by-root', '--to', file],
      ['import', file, 's3://imported'],
      ['fork', 's3://by-root', 's3://forked'],
    ])
      expect(await varve([...args, '--dir', dir])).toMatchObject({ status: 0 })
    for (const bucket of ['imported', 'forked']) expect(await ownerOf(dir, bucket)).toEqual(root)
    expect(await newestActor(dir)).toEqual(root)
  })

  it('makes another one the owner that --owner names', async () => {
    await varve(['identities', 'add', 'ann', '--dir', dir])
    expect(await newestActor(dir)).toEqual(root)
    await varve(['mb', 's3://of-ann', '--owner', 'ann', '--dir', dir])
    expect(await ownerOf(dir, 'of-ann')).toMatchObject({ name: 'ann' })
    await varve(['mb', 's3://of-local', '--owner', 'local', '--dir', dir])
    expect(await ownerOf(dir, 'of-local')).toEqual(local)
  })

  it('shows the actor in the log, which undo finds', async () => {
    const { stdout } = await varve(['log', '--dir', dir])
    // The first opening of the store, before it had a root, states its retention.
    const byLocal = stdout.split('\n').filter((line) => line.endsWith(' by local'))
    expect(byLocal).toEqual([expect.stringContaining('RetentionSet')])
    expect(stdout).toMatch(/s3:\/\/imported .* by root\n/)
    expect(await varve(['undo', '--by', 'root', '--dry-run', '--dir', dir])).toMatchObject({ status: 0 })
  })
})

describe('a command on a store that no process has open', () => {
  it('acts as the root that a server has stored there, and as local before', async () => {
    const dir = next()
    await varve(['init', '--dir', dir])
    await varve(['mb', 's3://before', '--dir', dir])
    expect(await ownerOf(dir, 'before')).toEqual(local)
    const server = start(['serve', dir])
    await server.line((one) => one.includes('Serving '))
    server.process.kill('SIGTERM')
    await server.ended
    await varve(['mb', 's3://after', '--dir', dir])
    expect(await ownerOf(dir, 'after')).toMatchObject({ name: 'root' })
    expect(await newestActor(dir)).toMatchObject({ name: 'root' })
  })

  it('acts as the root that the environment configures', async () => {
    const dir = next()
    await varve(['init', '--dir', dir])
    const env = { VARVE_ACCESS_KEY_ID: 'VARVEROOTKEY', VARVE_SECRET_ACCESS_KEY: 'a-secret-of-some-length' }
    expect(await varve(['mb', 's3://photos', '--dir', dir], env)).toMatchObject({ status: 0 })
    expect(await ownerOf(dir, 'photos')).toMatchObject({ name: 'root' })
  })
})

describe('a command on a store that a program has open', () => {
  it('acts as the root of the server of the program while it serves, and as local otherwise', async () => {
    const dir = next()
    const store = await openStore(dir)
    const boss = createIdentity({
      name: 'boss',
      accessKeyId: 'VARVEBOSS',
      secretAccessKey: 'a-secret-of-some-length',
      root: true,
    })
    const actors: unknown[] = []
    const make = async (bucket: string): Promise<void> => {
      await varve(['mb', `s3://${bucket}`, '--dir', dir])
      actors.push(await ownerOf(dir, bucket))
    }
    await make('one')
    const server = await serve({ store, identities: [boss], port: 0 })
    await make('two')
    server.replaceIdentities([createIdentity({ ...boss, secretAccessKey: boss.secretAccessKey, root: false })])
    await make('three')
    server.replaceIdentities([boss])
    await make('four')
    await server.close()
    await make('five')
    await store.close()
    const root = { id: boss.id, name: 'boss' }
    expect(actors).toEqual([local, root, local, root, local])
  })
})

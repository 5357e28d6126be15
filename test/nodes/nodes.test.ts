/** `varve serve --journal --blobs`: several servers of one store, whose journal is in PostgreSQL. */
import {
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { mkdir, rename } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { noPostgres, type PostgresServer, postgresServer } from '#adapters/postgres-journal/postgres-server.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from '../cli/run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const keys = {
  VARVE_ACCESS_KEY_ID: 'root-key',
  VARVE_SECRET_ACCESS_KEY: 'root-secret',
  AWS_ACCESS_KEY_ID: 'root-key',
  AWS_SECRET_ACCESS_KEY: 'root-secret',
}
const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }

const clientOf = ({ url }: Server): S3Client =>
  new S3Client({ endpoint: url, region: 'eu', forcePathStyle: true, credentials, maxAttempts: 6 })

/** Longer than what is kept in the journal. */
const bodyOf = (key: string): string => `the body of ${key} `.repeat(5000)

async function textOf(client: S3Client, key: string, versionId?: string): Promise<string> {
  const answer = await client.send(new GetObjectCommand({ Bucket: 'box', Key: key, VersionId: versionId }))
  return answer.Body?.transformToString() ?? ''
}

const put = (client: S3Client, key: string, body = bodyOf(key)) =>
  client.send(new PutObjectCommand({ Bucket: 'box', Key: key, Body: body }))

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is nothing that they could share.
describe.skipIf(noPostgres !== undefined)('servers of one store', () => {
  let database: PostgresServer
  let count = 0
  beforeAll(async () => {
    database = await postgresServer()
  }, 60_000)
  afterAll(() => database?.remove())

  /** A store of its own in the database, with its blobs in a directory or in a bucket of another server. */
  async function addresses(kind: 'file' | 's3' = 'file'): Promise<readonly string[]> {
    const { host, user, database: name } = database.connection
    const journal = `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}&schema=store_${++count}`
    return ['--journal', journal, '--blobs', await (kind === 'file' ? directory() : bucket())]
  }

  async function directory(): Promise<string> {
    const blobs = next()
    await mkdir(blobs)
    return `file://${blobs}`
  }

  async function bucket(): Promise<string> {
    const { url } = await serve([next()], keys)
    expect(await varve(['mb', 's3://blobs'], { ...keys, VARVE_ENDPOINT: url })).toMatchObject({ status: 0 })
    return `s3://blobs/store?region=eu&store=nodes&endpoint=${encodeURIComponent(url)}`
  }

  it.each(['file', 's3'] as const)(
    'show each other at once what they have answered, with blobs at %s:',
    async (kind) => {
      const where = await addresses(kind)
      // Both may begin the store.
      const [one, other] = await Promise.all([serve(where, keys), serve([...where, '--json'], keys)])
      expect(jsonLines(other.stdout()).at(-1)).toMatchObject({ kind: 'ready', journal: where[1], url: other.url })
      const env = { ...keys, VARVE_ENDPOINT: one.url }
      expect(await varve(['mb', 's3://box', '--versioning'], env)).toMatchObject({ status: 0 })
      const clients = [clientOf(one), clientOf(other)] as const
      const versions: (string | undefined)[] = []
      for (let round = 0; round < 6; round++) {
        const [writes, reads] = round % 2 === 0 ? clients : [clients[1], clients[0]]
        const { VersionId } = await put(writes, 'k', `${round}`)
        versions.unshift(VersionId)
        expect(await textOf(reads, 'k')).toBe(`${round}`)
        await put(writes, `long-${round}`)
        expect(await textOf(reads, `long-${round}`)).toBe(bodyOf(`long-${round}`))
      }
      for (const client of clients) {
        const { Versions } = await client.send(new ListObjectVersionsCommand({ Bucket: 'box', Prefix: 'k' }))
        expect(Versions?.map(({ VersionId }) => VersionId)).toEqual(versions)
      }
      const logs = await Promise.all(
        [one, other].map(({ url }) => varve(['log', '--json'], { ...keys, VARVE_ENDPOINT: url })),
      )
      expect(logs[0]?.stdout.length).toBeGreaterThan(1000)
      expect(logs[1]?.stdout).toBe(logs[0]?.stdout)
      expect(await one.stop()).toMatchObject({ status: 0, stderr: expect.stringContaining('Finishing') as string })
      expect(await textOf(clients[1], 'k')).toBe('5')
    },
  )

  it('say which part of the store does not answer, and are alive meanwhile', async () => {
    const blobs = next()
    await mkdir(blobs)
    const where = [...(await addresses()).slice(0, 3), `file://${blobs}`]
    const { url } = await serve([...where, '--node-name', 'one'], keys)
    const ask = async (path: string): Promise<readonly unknown[]> => {
      const answer = await fetch(`${url}/-/${path}`)
      return [answer.status, await answer.json()]
    }
    expect(await ask('health')).toEqual([200, { state: 'open', node: 'one' }])
    await rename(join(blobs, 'blobs'), join(blobs, 'away'))
    const failing = [503, { state: 'open', node: 'one', part: 'blobs', code: 'BlobFailed' }]
    await expect.poll(() => ask('health'), { timeout: 10_000 }).toEqual(failing)
    expect(await ask('alive')).toEqual([200, { alive: true }])
    await rename(join(blobs, 'away'), join(blobs, 'blobs'))
    const ready = [200, { state: 'open', node: 'one' }]
    await expect.poll(() => ask('health'), { timeout: 10_000 }).toEqual(ready)
    await database.kill()
    const noJournal = [503, { state: 'open', node: 'one', part: 'journal', code: 'JournalFailed' }]
    await expect.poll(() => ask('health'), { timeout: 10_000 }).toEqual(noJournal)
    expect(await ask('alive')).toEqual([200, { alive: true }])
    await database.start()
    await expect.poll(() => ask('health'), { timeout: 20_000 }).toEqual(ready)
  })

  it('show old states no longer than they may, and their own writes at once', async () => {
    const where = await addresses()
    const [one, other] = await Promise.all([serve(where, keys), serve([...where, '--stale', '1s'], keys)])
    const env = { ...keys, VARVE_ENDPOINT: one.url }
    expect(await varve(['mb', 's3://box'], env)).toMatchObject({ status: 0 })
    const [writer, reader] = [clientOf(one), clientOf(other)]
    for (let i = 0; i < 3; i++) {
      await put(writer, 'k', `${i}`)
      await textOf(reader, 'k')
      await put(writer, 'k', `${i} again`)
      await new Promise((resolve) => setTimeout(resolve, 1100))
      expect(await textOf(reader, 'k')).toBe(`${i} again`)
      await put(reader, 'k', `${i} of its own`)
      expect(await textOf(reader, 'k')).toBe(`${i} of its own`)
      expect(await textOf(writer, 'k')).toBe(`${i} of its own`)
    }
  })

  it('measure their database, and what they do together', async () => {
    const where = await addresses()
    const [one] = await Promise.all([serve([...where, '--node-name', 'one', '--metrics'], keys), serve(where, keys)])
    const metrics = async (): Promise<string> => (await fetch(`${one.url}/-/metrics`)).text()
    await expect.poll(metrics, { timeout: 20_000 }).toContain('\nvarve_cluster_members 2\n')
    const text = await metrics()
    expect(text).toContain('\nvarve_node_info{node="one"} 1\n')
    expect(text).toMatch(/\nvarve_database_silent_seconds 0\.\d+\n/)
    expect(text).toMatch(/\nvarve_database_connections\{use="snapshots",state="used"\} \d\n/)
    expect(text).toContain('\nvarve_commit_conflicts_total ')
  })

  it('go on while balancers learn that they end', async () => {
    const where = await addresses()
    const server = await serve([...where, '--drain', '3s', '--json'], keys)
    const { node } = jsonLines(server.stdout()).at(-1) as { readonly node: string }
    expect(node).toBe(hostname())
    const ended = server.stop()
    const health = async (): Promise<unknown> => (await fetch(`${server.url}/-/health`)).json()
    await expect.poll(health, { timeout: 2500 }).toEqual({ state: 'open', node, stopping: true })
    expect((await fetch(`${server.url}/-/alive`)).status).toBe(200)
    await clientOf(server).send(new ListBucketsCommand({}))
    expect(await ended).toMatchObject({ status: 0 })
  })

  it('know the identities that one of them has made, and refuse what one has revoked', async () => {
    const where = await addresses()
    const env = { ...keys, VARVE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
    const [one, other] = await Promise.all([serve(where, env), serve(where, env)])
    const at = (server: Server) => ({ ...keys, VARVE_ENDPOINT: server.url })
    const added = await varve(['identities', 'add', 'alice', '--json'], at(one))
    expect(added).toMatchObject({ status: 0, stderr: '' })
    const pair = jsonLines(added.stdout).find((line) => 'secretAccessKey' in line) as typeof credentials
    const alice = new S3Client({
      endpoint: other.url,
      region: 'eu',
      forcePathStyle: true,
      credentials: { accessKeyId: pair.accessKeyId, secretAccessKey: pair.secretAccessKey },
      maxAttempts: 1,
    })
    const ask = () =>
      alice.send(new ListBucketsCommand({})).then(
        () => 'answered',
        (error: unknown) => (error as Error).name,
      )
    await expect.poll(ask, { timeout: 20_000 }).toBe('answered')
    expect(await varve(['identities', 'remove', 'alice'], at(one))).toMatchObject({ status: 0 })
    await expect.poll(ask, { timeout: 20_000 }).toBe('InvalidAccessKeyId')
  })
})

describe('a server of a shared store', () => {
  const where = ['--journal', 'postgres:///db', '--blobs', 'file:///blobs']

  it('has no directory', async () => {
    const { status, stderr } = await varve(['serve', './here', ...where], keys)
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Name a directory, or') as string,
    })
  })

  it('needs identities, which are the same for all', async () => {
    const { status, stderr } = await varve(['serve', ...where])
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the same identities') as string,
    })
  })
})

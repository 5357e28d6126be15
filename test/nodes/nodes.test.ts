/** `varve serve --journal --blobs`: several servers of one store, whose journal is in PostgreSQL. */
import { GetObjectCommand, ListObjectVersionsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { mkdir } from 'node:fs/promises'
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
      const [one, other] = [await serve(where, keys), await serve([...where, '--json'], keys)]
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

  it('lose nothing they acknowledged when one of them is killed', async () => {
    const where = await addresses()
    const [one, other] = [await serve(where, keys), await serve(where, keys)]
    expect(await varve(['mb', 's3://box'], { ...keys, VARVE_ENDPOINT: one.url })).toMatchObject({ status: 0 })
    const acknowledged: string[] = []
    const writing = [clientOf(one), clientOf(other)].map(async (client, at) => {
      for (let i = 0; i < 60; i++) {
        const key = `${at}-${i}`
        await put(client, key)
        acknowledged.push(key)
        if (acknowledged.length === 40) one.process.kill('SIGKILL')
      }
    })
    const outcomes = await Promise.allSettled(writing)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    const reader = clientOf(other)
    for (const key of acknowledged) expect(await textOf(reader, key)).toBe(bodyOf(key))
  })

  it('go on when the database has crashed and is there again', async () => {
    const where = await addresses()
    const nodes = [await serve(where, keys), await serve(where, keys)]
    expect(await varve(['mb', 's3://box'], { ...keys, VARVE_ENDPOINT: nodes[0]?.url ?? '' })).toMatchObject({
      status: 0,
    })
    const clients = nodes.map(clientOf)
    const acknowledged: string[] = []
    let stop = false
    const writing = clients.map(async (client, at) => {
      for (let i = 0; !stop; i++) {
        const key = `${at}-${i}`
        await put(client, key).then(
          () => acknowledged.push(key),
          () => undefined,
        )
      }
    })
    const until = async (more: number) => {
      const wanted = acknowledged.length + more
      while (acknowledged.length < wanted) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await until(10)
    await database.kill()
    await database.start()
    await until(20)
    stop = true
    await Promise.all(writing)
    for (const [i, key] of acknowledged.entries())
      expect(await textOf(clients[i % 2] as S3Client, key), key).toBe(bodyOf(key))
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

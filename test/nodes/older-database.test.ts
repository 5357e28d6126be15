/** A database that is older than the blobs beside it: restored from a copy, or lost commits in a failover. */
import { GetObjectCommand, PutBucketVersioningCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { mkdir } from 'node:fs/promises'
import {
  administrator,
  noPostgres,
  type PostgresServer,
  postgresServer,
} from '#adapters/postgres-journal/postgres-server.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endServersAfterEach, scratchPaths, serve, type Server, varve } from '../cli/run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const keys = {
  VARVE_ACCESS_KEY_ID: 'root-key',
  VARVE_SECRET_ACCESS_KEY: 'root-secret',
  AWS_ACCESS_KEY_ID: 'root-key',
  AWS_SECRET_ACCESS_KEY: 'root-secret',
}
const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const damaged = 5

const clientOf = ({ url }: Server): S3Client =>
  new S3Client({ endpoint: url, region: 'eu', forcePathStyle: true, credentials, maxAttempts: 1 })

/** Longer than what is kept in the journal. */
const body = 'a long body '.repeat(5000)
const put = (client: S3Client, Key: string) => client.send(new PutObjectCommand({ Bucket: 'box', Key, Body: body }))
const get = async (client: S3Client, Key: string, VersionId?: string): Promise<string | undefined> =>
  (await client.send(new GetObjectCommand({ Bucket: 'box', Key, VersionId }))).Body?.transformToString()

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is no database.
describe.skipIf(noPostgres !== undefined)('a database that is older than its blobs', () => {
  let database: PostgresServer
  let count = 0
  beforeAll(async () => {
    database = await postgresServer()
  }, 60_000)
  afterAll(() => database?.remove())

  async function storeAt(kind: 'file' | 's3') {
    const { host, user, database: name } = database.connection
    const schema = `store_${++count}`
    const journal = `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}&schema=${schema}`
    return { schema, where: ['--journal', journal, '--blobs', await (kind === 'file' ? directory() : bucket())] }
  }

  async function directory(): Promise<string> {
    const blobs = next()
    await mkdir(blobs)
    return `file://${blobs}`
  }

  async function bucket(): Promise<string> {
    const { url } = await serve([next()], keys)
    expect(await varve(['mb', 's3://blobs'], { ...keys, VARVE_ENDPOINT: url })).toMatchObject({ status: 0 })
    return `s3://blobs/store?region=eu&endpoint=${encodeURIComponent(url)}`
  }

  /** Copies the tables, and returns what puts the copy back in one transaction, as a failover does. */
  async function copyOf(schema: string): Promise<() => Promise<void>> {
    const db = await administrator(database)
    const perTable = (statement: string) => `DO $$ DECLARE t text; BEGIN
      FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' LOOP ${statement} END LOOP; END $$`
    await db.run(
      `CREATE SCHEMA ${schema}_copy`,
      perTable(`EXECUTE format('CREATE TABLE ${schema}_copy.%I AS TABLE ${schema}.%I', t, t);`),
    )
    return async () => {
      const back = `EXECUTE format('DELETE FROM ${schema}.%I', t);
        EXECUTE format('INSERT INTO ${schema}.%I SELECT * FROM ${schema}_copy.%I', t, t, t);`
      await db.run(perTable(back))
      await db.end()
    }
  }

  it('ends every server, is refused again, and goes on when it was accepted', async () => {
    const { schema, where } = await storeAt('s3')
    const [one, other] = await Promise.all([serve(where, keys), serve(where, keys)])
    const env = { ...keys, VARVE_ENDPOINT: one.url }
    expect(await varve(['mb', 's3://box'], env)).toMatchObject({ status: 0 })
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await clientOf(one).send(new PutBucketVersioningCommand({ Bucket: 'box', VersioningConfiguration }))
    const before = await put(clientOf(one), 'before')
    const restore = await copyOf(schema)
    const lost = await put(clientOf(one), 'lost')
    const alsoLost = await put(clientOf(one), 'lost')
    // The witness is a moment behind.
    expect(await get(clientOf(other), 'lost')).toBe(body)
    await restore()
    for (const server of [one, other]) {
      const { status, stderr } = await server.ended
      expect({ status, stderr }).toMatchObject({
        status: damaged,
        stderr: expect.stringContaining('it once reached'),
      })
    }
    const refused = await varve(['serve', ...where], keys)
    expect(refused).toMatchObject({ status: damaged, stderr: expect.stringContaining('it once reached') })
    const accept = (option: string) => varve(['accept-loss', '--json', option, ...where], keys)
    expect(JSON.parse((await accept('--dry-run')).stdout)).toMatchObject({ kind: 'loss', lost: true, blobs: 2 })
    expect(await varve(['serve', ...where], keys)).toMatchObject({ status: damaged })
    expect(await accept('--yes')).toMatchObject({ status: 0 })
    expect(JSON.parse((await accept('--yes')).stdout)).toMatchObject({ lost: false, blobs: 0 })
    const again = await serve(where, keys)
    const client = clientOf(again)
    expect(await get(client, 'before')).toBe(body)
    await expect(get(client, 'lost')).rejects.toMatchObject({ name: 'NoSuchKey' })
    await put(client, 'after')
    await put(client, 'lost')
    await put(client, 'lost')
    expect(await get(client, 'before', before.VersionId)).toBe(body)
    for (const { VersionId } of [lost, alsoLost]) {
      await expect(get(client, 'lost', VersionId)).rejects.toMatchObject({ name: 'NoSuchVersion' })
    }
    expect(await varve(['verify'], { ...keys, VARVE_ENDPOINT: again.url })).toMatchObject({ status: 0 })
    expect(await again.stop()).toMatchObject({ status: 0 })
  }, 300_000)

  it('is refused when other events have taken the place of the lost ones', async () => {
    const { schema, where } = await storeAt('file')
    const one = await serve(where, keys)
    expect(await varve(['mb', 's3://box'], { ...keys, VARVE_ENDPOINT: one.url })).toMatchObject({ status: 0 })
    const restore = await copyOf(schema)
    await put(clientOf(one), 'lost')
    await one.stop()
    await restore()
    // A server with other blobs does not know the witness.
    const elsewhere = [...where.slice(0, 3), await directory()]
    const stranger = await serve(elsewhere, keys)
    await put(clientOf(stranger), 'one')
    await put(clientOf(stranger), 'two')
    await stranger.stop()
    expect(await varve(['serve', ...where], keys)).toMatchObject({ status: damaged })
  })
})

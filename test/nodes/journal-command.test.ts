/** `varve journal`: roles and tables, beside nodes that have no more rights than they need. */
import { mkdir } from 'node:fs/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
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

const keys = { VARVE_ACCESS_KEY_ID: 'root-key', VARVE_SECRET_ACCESS_KEY: 'root-secret' }
const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const clientOf = ({ url }: Server): S3Client =>
  new S3Client({ endpoint: url, region: 'eu', forcePathStyle: true, credentials, maxAttempts: 1 })
const put = (client: S3Client, Key: string) => client.send(new PutObjectCommand({ Bucket: 'box', Key, Body: Key }))

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is no database.
describe.skipIf(noPostgres !== undefined)('the database of nodes', () => {
  let database: PostgresServer
  let admin: Awaited<ReturnType<typeof administrator>>
  beforeAll(async () => {
    database = await postgresServer()
    admin = await administrator(database)
  }, 60_000)
  afterAll(async () => {
    await admin?.end()
    await database?.remove()
  })

  const addressOf = (schema: string, user: string) => {
    const { host, database: name } = database.connection
    return `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}&schema=${schema}`
  }
  async function directory(): Promise<string> {
    const blobs = next()
    await mkdir(blobs)
    return `file://${blobs}`
  }
  const journal = (...args: readonly string[]) => varve(['journal', ...args])
  async function makeRoles(schema: string, owner: string): Promise<void> {
    const { status, stdout } = await journal('roles', '--schema', schema, '--owner', owner, '--node', `${schema}_node`)
    expect(status).toBe(0)
    await admin.run(stdout)
  }

  it('has a role of nodes that cannot create tables', async () => {
    await makeRoles('shop', 'shop_owner')
    const where = ['--journal', addressOf('shop', 'shop_node'), '--blobs', await directory()]
    const early = await varve(['serve', '--port', '0', ...where], keys)
    expect(early).toMatchObject({ status: 7, stderr: expect.stringContaining('USAGE, CREATE ON SCHEMA shop') })
    const create = ['create', '--json', '--part-events', '1000', '--journal', addressOf('shop', 'shop_owner')]
    expect(JSON.parse((await journal(...create)).stdout)).toEqual({ kind: 'journal', head: 0 })
    const server = await serve(where, keys)
    expect(await varve(['mb', 's3://box'], { ...keys, VARVE_ENDPOINT: server.url })).toMatchObject({ status: 0 })
    await put(clientOf(server), 'one')
    expect(await journal('create')).toMatchObject({ status: 2 })
  }, 60_000)
})

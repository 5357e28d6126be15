/** PostgreSQL and an S3 server for the tests of stores on both. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { membersOf } from './members.mjs'
import { loadPlan } from './plan.mjs'
import { end, start } from './processes.mjs'

/** @returns the variables that the tests need, and what ends the servers and removes their data */
export async function startSharedServers() {
  const dir = mkdtempSync(join(tmpdir(), 'varve-shared-'))
  // PostgreSQL runs as another user than root, and its data is in here.
  chmodSync(dir, 0o755)
  const plan = await loadPlan(dir, 0)
  const members = membersOf(plan).filter(({ name }) => name === 'postgres' || name === 'blobs')
  for (const member of members) await start(dir, member)
  const { ports, accessKeyId, secretAccessKey, password } = plan
  return {
    env: {
      PGPASSWORD: password,
      VARVE_POSTGRES: `postgres://varve@127.0.0.1:${ports.postgres}/postgres`,
      VARVE_S3_BLOBS: `http://127.0.0.1:${ports.blobs}`,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    async stop() {
      for (const { name } of members.toReversed()) await end(dir, name)
      rmSync(dir, { recursive: true })
    },
  }
}

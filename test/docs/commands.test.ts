/** The commands of the pages, word for word, beside a store that has what they name. `excused.ts` has those that are not run, and why. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { memoryStore } from 'varve'
import { createIdentity, serve, type RunningServer } from 'varve/http'
import { makeFixtureStore } from './shell/fixture-store.ts'
import { commandsToRun, copyStore, lacks, placeOf, walk } from './shell/walk.ts'

const varve = inject('varveCommand')
const pages = [...commandsToRun()].filter(([page]) => placeOf(page) === 'store' || placeOf(page) === 'empty')
const scratch = mkdtempSync(join(tmpdir(), 'varve-commands-'))
const fixture = join(scratch, 'data')
let other: RunningServer

/** Servers of others, whose addresses pages have. */
beforeAll(async () => {
  await makeFixtureStore(fixture)
  const store = await memoryStore()
  const root = createIdentity({ name: 'root', accessKeyId: 'root-key', secretAccessKey: 'root-secret', root: true })
  other = await serve({ store, identities: [root], port: 0 })
  for (const name of ['photos', 'backups', 'other']) await store.buckets.create(name)
  await store.objects.put('photos', 'from/elsewhere.jpg', 'a picture')
}, 120_000)
afterAll(async () => {
  await other.close()
  rmSync(scratch, { recursive: true, force: true })
})

describe('the commands of a page do what they claim', { timeout: 300_000, concurrent: false }, () => {
  for (const [page, commands] of pages) {
    // The page has commands of that program.
    it.skipIf(lacks(page))(`${page}${lacks(page) ? ': a program that it needs is absent' : ''}`, async () => {
      const { url } = other
      const at = `?endpoint=${encodeURIComponent(url)}&region=us-east-1`
      await walk(page, {
        commands,
        varve,
        prepare: placeOf(page) === 'store' ? copyStore(fixture) : () => undefined,
        env: { VARVE_DIR: './data' },
        replaced: [
          [/s3:\/\/(backups|other)\/shop(?!\?)/g, `'s3://$1/shop${at}'`],
          ['http://minio:9000', url],
        ],
      })
    })
  }
})

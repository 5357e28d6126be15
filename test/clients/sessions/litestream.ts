/** Litestream: a SQLite database that is replicated while it is written. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { treeRegion } from '../../support/tree-server.ts'
import { findProgram } from '../support/commands.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { programFile } from '../support/sdk-session.ts'
import { type ClientSession, expect } from '../support/session.ts'

export const litestream: ClientSession = {
  name: 'Litestream',
  does: 'replicate a database of 20 MiB while it is written (beyond 5 MiB, in parts), restore it, go on with it, restore all of it and its first state; the same after the database is lost',
  needs: '`endpoint`, `region`, `force-path-style: true`',
  async find() {
    if (findProgram('python3') === undefined) return { absent: 'no Python to write a database' }
    return findClient({ name: 'litestream', version: ['version'], pattern: /^v?(\d+\.\d+\.\d+)/, run })
  },
}

const configuration = (scene: Scene, database: string) => `
dbs:
  - path: ${database}
    replica:
      type: s3
      bucket: ${scene.bucket}
      path: of session
      endpoint: ${scene.endpoint}
      region: ${treeRegion}
      force-path-style: true
`

async function run(scene: Scene, command: string): Promise<void> {
  await scene.makeBucket()
  const [database, config] = [join(scene.dir, 'session.db'), join(scene.dir, 'litestream.yml')]
  await writeFile(config, configuration(scene, database))
  const litestream = (name: string, ...args: readonly string[]) =>
    scene.call(command, [name, '-config', config, ...args])
  const rows = programFile('sqlite-rows.py')
  // What a program writes in its last second may be left for the next sync.
  const add = async (count: number) => {
    await litestream('replicate', '-exec', `python3 ${rows} add ${database} ${count}`)
    await litestream('replicate', '-once')
  }
  const digest = async (path: string) => (await scene.call('python3', [rows, 'digest', path])).stdout.toString()
  const restored = async (...args: readonly string[]) => {
    const back = join(scene.dir, 'restored.db')
    await rm(back, { force: true })
    await litestream('restore', '-o', back, ...args, database)
    return digest(back)
  }
  const lastTransaction = async () => {
    const ids = (await litestream('ltx', database)).stdout.toString().match(/(?<=\s)[0-9a-f]{16}(?=\s)/g) ?? []
    return ids.sort().at(-1) ?? ''
  }

  await add(5000)
  const first = await digest(database)
  expect((await restored()) === first, 'the restored database has the same rows')
  const then = await lastTransaction()
  const keys = await scene.keys()
  await Promise.any(keys.map((key) => scene.inParts(key)))

  await add(1000)
  const second = await digest(database)
  expect(second !== first && (await restored()) === second, 'the rows that were added are restored')
  expect((await restored('-txid', then)) === first, 'the first state is restored')

  await rm(database)
  await litestream('restore', database)
  expect((await digest(database)) === second, 'the lost database is restored in its place')
}

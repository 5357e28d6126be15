import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { plantTree, sameTree } from '../support/tree.ts'

export const restic: ClientSession = {
  name: 'restic',
  does: 'init, backup twice, snapshots, check with all data read, restore of both, forget with prune, check again, a wrong password refused',
  needs: '`s3:http://HOST:PORT/BUCKET`',
  find: () => findClient({ name: 'restic', version: ['version'], pattern: /^restic (\S+)/, run }),
}

async function run(scene: Scene, command: string): Promise<void> {
  const env = { RESTIC_REPOSITORY: `s3:${scene.endpoint}/${scene.bucket}`, RESTIC_PASSWORD: 'of the session' }
  const restic = async (...args: readonly string[]) =>
    (await scene.call(command, ['--no-cache', ...args], { env })).stdout.toString()
  const [tree, first, second] = ['tree', 'first', 'second'].map((name) => join(scene.dir, name)) as [
    string,
    string,
    string,
  ]
  await plantTree(tree, scene.material)
  await restic('init')
  await restic('backup', tree)
  await restic('restore', 'latest', '--target', first)
  await sameTree(join(first, tree), tree)

  await rm(join(tree, 'sub', 'small'))
  await writeFile(join(tree, 'new'), Buffer.concat([await readFile(scene.material.large), Buffer.from('and more')]))
  await restic('backup', tree)
  const snapshots = JSON.parse(await restic('snapshots', '--json')) as readonly unknown[]
  expect(snapshots.length === 2, 'both snapshots are listed')
  await restic('check', '--read-data')
  await restic('restore', 'latest', '--target', second)
  await sameTree(join(second, tree), tree)
  await restic('forget', '--keep-last', '1', '--prune')
  await restic('check', '--read-data')
  await scene.call(command, ['--no-cache', 'snapshots'], {
    env: { ...env, RESTIC_PASSWORD: 'another' },
    statuses: [1, 12],
  })
}

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { treeRegion } from '../../support/tree-server.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { plantTree, sameTree } from '../support/tree.ts'

export const kopia: ClientSession = {
  name: 'kopia',
  does: "create a repository, kopia's own validation of the provider, snapshot twice, verify every file, restore, maintenance; connect again from nothing",
  needs: '`--endpoint`, `--disable-tls`, `--region`',
  find: () => findClient({ name: 'kopia', version: ['--version'], pattern: /^(\S+)/, run }),
}

async function run(scene: Scene, command: string): Promise<void> {
  await scene.makeBucket()
  const { accessKeyId, secretAccessKey } = scene.credentials
  const env = { KOPIA_PASSWORD: 'of the session', KOPIA_CHECK_FOR_UPDATES: 'false' }
  const kopia = async (...args: readonly string[]) => (await scene.call(command, args, { env })).stdout.toString()
  const [tree, back] = [join(scene.dir, 'tree'), join(scene.dir, 'back')]
  const keys = [`--access-key=${accessKeyId}`, `--secret-access-key=${secretAccessKey}`]
  const host = [`--endpoint=127.0.0.1:${scene.port}`, '--disable-tls', `--region=${treeRegion}`]
  const repository = ['s3', `--bucket=${scene.bucket}`, '--prefix=backups/', ...host, ...keys]

  await plantTree(tree, scene.material)
  await kopia('repository', 'create', ...repository)
  await kopia('repository', 'validate-provider', '--put-blob-workers=2', '--concurrency-test-duration=5s')
  await kopia('snapshot', 'create', tree)
  await rm(join(tree, 'sub', 'small'))
  await kopia('snapshot', 'create', tree)
  await kopia('snapshot', 'verify', '--verify-files-percent=100')
  await kopia('repository', 'disconnect')
  await kopia('repository', 'connect', ...repository)
  const snapshots = JSON.parse(await kopia('snapshot', 'list', '--json', tree)) as readonly { readonly id: string }[]
  expect(snapshots.length === 2, 'both snapshots are listed')
  await kopia('snapshot', 'restore', snapshots.at(-1)?.id ?? '', back)
  await sameTree(back, tree)
  await kopia('maintenance', 'run', '--full')
}

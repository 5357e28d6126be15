/** aws-cli v2: the high-level commands, and S3's own operations. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sameBytes, sameFile } from '../support/material.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { plantTree, sameTree } from '../support/tree.ts'

export const awsCli: ClientSession = {
  name: 'aws-cli v2',
  does: 'mb, cp (20 MiB in parts), ls, sync both ways with odd names, mv, presign, versions, delete-objects, rm, rb',
  needs: '`--endpoint-url`, or `AWS_ENDPOINT_URL` from 2.13 on',
  find: () => findClient({ name: 'aws', version: ['--version'], pattern: /^aws-cli\/(2\.\S+)/, run }),
}

async function run(scene: Scene, command: string): Promise<void> {
  const aws = (...args: readonly string[]) => scene.call(command, ['--endpoint-url', scene.endpoint, ...args])
  const at = `s3://${scene.bucket}`
  await aws('s3', 'mb', at)
  await objects(scene, aws, at)
  await directories(scene, aws, at)
  await operations(scene, aws)
  const refused = await scene.call(command, ['--endpoint-url', scene.endpoint, 's3', 'cp', `${at}/none`, 'none'], {
    statuses: [1],
  })
  expect(/404/.test(refused.stderr), 'cp of what is not there says 404')
  await aws('s3', 'rm', '--recursive', at)
  expect((await scene.keys()).length === 0, 'everything is removed')
}

type Aws = (...args: readonly string[]) => ReturnType<Scene['call']>

async function objects(scene: Scene, aws: Aws, at: string): Promise<void> {
  const { small, large, empty } = scene.material
  await aws('s3', 'cp', small, `${at}/a/small`)
  await aws('s3', 'cp', large, `${at}/a/large`)
  await aws('s3', 'cp', empty, `${at}/a/empty`)
  await scene.stored('a/small', small)
  await scene.stored('a/large', large)
  await scene.inParts('a/large')
  await aws('s3', 'cp', `${at}/a/large`, 'back')
  await sameFile(join(scene.dir, 'back'), large)
  sameBytes((await aws('s3', 'cp', `${at}/a/small`, '-')).stdout, await readFile(small), 'cp to standard output')
  await aws('s3', 'mv', `${at}/a/large`, `${at}/b/large`)
  await scene.stored('b/large', large)
  const listed = (await aws('s3', 'ls', '--recursive', at)).stdout.toString()
  expect(/a\/empty\n.* 1024 a\/small\n.*b\/large\n$/.test(listed), 'ls lists what is there')
  const url = (await aws('s3', 'presign', `${at}/a/small`)).stdout.toString().trim()
  sameBytes(await scene.fetch(url), await readFile(small), 'what the presigned address gave')
}

async function directories(scene: Scene, aws: Aws, at: string): Promise<void> {
  const [here, back] = [join(scene.dir, 'tree'), join(scene.dir, 'tree-back')]
  await plantTree(here, scene.material)
  await aws('s3', 'sync', '--only-show-errors', here, `${at}/tree`)
  await aws('s3', 'sync', '--only-show-errors', `${at}/tree`, back)
  await sameTree(back, here)
  const again = (await aws('s3', 'sync', here, `${at}/tree`)).stdout.toString()
  expect(again === '', 'the second sync has nothing to do')
}

async function operations(scene: Scene, aws: Aws): Promise<void> {
  const { small } = scene.material
  const api = (operation: string, ...args: readonly string[]) =>
    aws('s3api', operation, '--bucket', scene.bucket, ...args)
  await api('put-bucket-versioning', '--versioning-configuration', 'Status=Enabled')
  await api('put-object', '--key', 'v', '--body', small)
  const query = ['--prefix', 'v', '--query', 'Versions[0].VersionId', '--output', 'text']
  const old = (await api('list-object-versions', ...query)).stdout.toString().trim()
  await writeFile(join(scene.dir, 'newer'), 'newer')
  await api('put-object', '--key', 'v', '--body', 'newer', '--metadata', 'colour=green')
  await api('get-object', '--key', 'v', '--version-id', old, 'old')
  await sameFile(join(scene.dir, 'old'), small)
  const metadata = await api('head-object', '--key', 'v', '--query', 'Metadata.colour', '--output', 'text')
  expect(metadata.stdout.toString().trim() === 'green', 'metadata comes back')
  await api('delete-objects', '--delete', JSON.stringify({ Objects: [{ Key: 'v', VersionId: old }] }))
  await api('delete-object', '--key', 'v')
  const markers = await api('list-object-versions', '--prefix', 'v', '--query', 'length(DeleteMarkers)')
  expect(markers.stdout.toString().trim() === '1', 'one delete marker is listed')
}

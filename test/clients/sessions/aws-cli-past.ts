/** aws-cli v2, with a bucket as it was. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sameBytes } from '../support/material.ts'
import { checkLong, makePast, type Past } from '../support/past-session.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { filesIn, sameTree } from '../support/tree.ts'

export const awsCliPast: ClientSession = {
  name: 'aws-cli v2, the past',
  does: 'as of a time, a position and a snapshot before a mass deletion: ls, sync, range, head-object, presign; `cp --recursive` and copy-object back; writes refused with 405; names of 63, 64 and 87 characters',
  needs: 'as aws-cli; for copies that store no byte, `s3.multipart_threshold` above the largest object',
  find: () => findClient({ name: 'aws', version: ['--version'], pattern: /^aws-cli\/(2\.\S+)/, run }),
}

type Aws = (args: readonly string[], statuses?: readonly number[]) => ReturnType<Scene['call']>

async function run(scene: Scene, command: string): Promise<void> {
  const past = await makePast(scene)
  const aws: Aws = (args, statuses = [0]) =>
    scene.call(command, ['--endpoint-url', scene.endpoint, ...args], { statuses })
  // Larger objects are copied part by part, and the bytes of parts are stored.
  await aws(['configure', 'set', 'default.s3.multipart_threshold', '1GB'])
  for (const name of past.names) await lookBack(scene, aws, { past, name })
  const lines = []
  for (const name of past.long) {
    const { status, stderr } = await aws(['s3api', 'head-object', '--bucket', name, '--key', 'k'], [0, 252, 254, 255])
    lines.push(status === 0 ? '200' : stderr.trim())
  }
  await checkLong(lines, past, 87)
}

async function lookBack(
  scene: Scene,
  aws: Aws,
  { past, name }: { readonly past: Past; readonly name: string },
): Promise<void> {
  const { bucket, dir, material } = scene
  const large = await readFile(material.large)
  const listed = (await aws(['s3', 'ls', '--recursive', `s3://${name}`])).stdout.toString().trim().split('\n')
  expect(listed.length === (await filesIn(past.tree)).length, 'ls lists what was there')
  await aws(['s3', 'sync', '--only-show-errors', `s3://${name}/tree`, join(dir, name)])
  await sameTree(join(dir, name), past.tree)

  const object = ['--bucket', name, '--key', 'tree/large']
  await aws(['s3api', 'get-object', ...object, '--range', 'bytes=1000-1999', 'range'])
  sameBytes(await readFile(join(dir, 'range')), large.subarray(1000, 2000), 'the range')
  const length = await aws(['s3api', 'head-object', ...object, '--query', 'ContentLength'])
  expect(length.stdout.toString().trim() === String(large.length), 'head-object has the length')
  const url = (await aws(['s3', 'presign', `s3://${name}/tree/large`])).stdout.toString().trim()
  sameBytes(await scene.fetch(url), large, 'what the presigned address gave')

  const writes = [
    ['s3', 'cp', material.small, `s3://${name}/new`],
    ['s3', 'rm', `s3://${name}/tree/large`],
    ['s3', 'mv', `s3://${name}/tree/large`, `s3://${name}/new`],
    ['s3api', 'put-object', '--bucket', name, '--key', 'new'],
    ['s3api', 'put-bucket-versioning', '--bucket', name, '--versioning-configuration', 'Status=Suspended'],
  ]
  for (const write of writes) {
    const { stderr } = await aws(write, [1, 254])
    expect(/MethodNotAllowed.*A bucket as it was can only be read/.test(stderr), `the write is refused: ${stderr}`)
  }

  await aws(['s3', 'cp', '--only-show-errors', '--recursive', `s3://${name}/tree`, `s3://${bucket}/${name}`])
  await scene.stored(`${name}/large`, material.large)
  await scene.stored(`${name}/日本語/🪨`, join(past.tree, '日本語/🪨'))
  const source = `${name}/tree/sub/small`
  await aws(['s3api', 'copy-object', '--bucket', bucket, '--key', 'tree/sub/small', '--copy-source', source])
  await scene.stored('tree/sub/small', material.small)
  await past.storesNoMore()
}

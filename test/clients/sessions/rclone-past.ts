/** rclone, with a bucket as it was. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sameBytes } from '../support/material.ts'
import { checkLong, makePast, type Past } from '../support/past-session.ts'
import { findClient } from '../support/program.ts'
import { rcloneIn, type Rclone } from '../support/rclone-in.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { filesIn, sameTree } from '../support/tree.ts'

export const rclonePast: ClientSession = {
  name: 'rclone, the past',
  does: 'as of a time, a position and a snapshot before a mass deletion: lsf, sync, check by download, range, size, link; copy and copyto back that store no byte; writes refused (405, or 400 where it creates the bucket first); names of 63, 64 and 87 characters',
  needs: 'as rclone',
  find: () => findClient({ name: 'rclone', version: ['version'], pattern: /^rclone v([\d.]+)/, run }),
}

async function run(scene: Scene, command: string): Promise<void> {
  const past = await makePast(scene)
  const rclone = await rcloneIn(scene, command)
  for (const name of past.names) await lookBack(scene, rclone, { past, name })
  const lines = []
  for (const name of past.long) {
    const { status, stderr } = await rclone(['cat', `v:${name}/k`], [0, 1, 3, 4])
    lines.push(status === 0 ? '200' : stderr.trim())
  }
  await checkLong(lines, past, 87)
}

async function lookBack(
  scene: Scene,
  rclone: Rclone,
  { past, name }: { readonly past: Past; readonly name: string },
): Promise<void> {
  const { bucket, dir, material } = scene
  const large = await readFile(material.large)
  const [then, back] = [`v:${name}/tree`, join(dir, name)]
  const listed = (await rclone(['lsf', '-R', '--files-only', then])).stdout.toString().trim().split('\n')
  expect(listed.length === (await filesIn(past.tree)).length, 'lsf lists what was there')
  await rclone(['sync', then, back])
  await sameTree(back, past.tree)
  await rclone(['check', '--download', past.tree, then])
  const range = await rclone(['cat', '--offset', '1000', '--count', '1000', `${then}/large`])
  sameBytes(range.stdout, large.subarray(1000, 2000), 'the range')
  const size = JSON.parse((await rclone(['size', '--json', `${then}/large`])).stdout.toString()) as { bytes: number }
  expect(size.bytes === large.length, 'size has the length')
  const url = (await rclone(['link', `${then}/large`])).stdout.toString().trim()
  sameBytes(await scene.fetch(url), large, 'what the link gave')

  for (const write of [
    ['copyto', material.small, `v:${name}/new`],
    ['deletefile', `${then}/large`],
    ['moveto', `${then}/large`, `v:${name}/new`],
    ['copyto', '--s3-no-check-bucket', material.small, `v:${name}/new`],
  ]) {
    const { stderr } = await rclone(write, [1, 3, 4, 5])
    // rclone creates the bucket before it writes, unless it is told not to.
    expect(/(InvalidBucketName|MethodNotAllowed).* as it was.* can only be read/.test(stderr), `refused: ${stderr}`)
  }

  await rclone(['copy', then, `v:${bucket}/${name}`])
  await scene.stored(`${name}/large`, material.large)
  await rclone(['copyto', `${then}/sub/small`, `v:${bucket}/tree/sub/small`])
  await scene.stored('tree/sub/small', material.small)
  await past.storesNoMore()
}

/** rclone, with its views of the past. */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sameBytes } from '../support/material.ts'
import { findClient } from '../support/program.ts'
import { rcloneIn } from '../support/rclone-in.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { plantTree, sameTree } from '../support/tree.ts'

export const rclone: ClientSession = {
  name: 'rclone',
  does: 'mkdir, sync both ways with odd names and 20 MiB in parts, check by download, lsf, rcat, moveto, link, versioning, `--s3-versions`, `--s3-version-at`, cleanup, purge',
  needs: '`provider = Other`, `endpoint`, `region`',
  find: () => findClient({ name: 'rclone', version: ['version'], pattern: /^rclone v([\d.]+)/, run }),
}

type Rclone = (...args: readonly string[]) => Promise<Buffer>

async function run(scene: Scene, command: string): Promise<void> {
  const configured = await rcloneIn(scene, command)
  const rclone: Rclone = async (...args) => (await configured(args)).stdout
  await directories(scene, rclone)
  await objects(scene, rclone)
  await past(scene, rclone)
  await rclone('cleanup', `v:${scene.bucket}`)
  expect((await scene.unfinishedUploads()) === 0, 'no upload is left behind')
  await rclone('purge', `v:${scene.bucket}/tree`)
  expect(!(await scene.keys()).some((key) => key.startsWith('tree/')), 'the tree is purged')
}

async function directories(scene: Scene, rclone: Rclone): Promise<void> {
  const [here, there, back] = [join(scene.dir, 'tree'), `v:${scene.bucket}/tree`, join(scene.dir, 'back')]
  await plantTree(here, scene.material)
  await rclone('mkdir', `v:${scene.bucket}`)
  await rclone('sync', here, there)
  await rclone('check', '--download', here, there)
  await rclone('sync', there, back)
  await sameTree(back, here)
  await scene.inParts('tree/large')
  const dry = await rclone('lsf', '-R', '--files-only', there)
  expect(dry.toString().split('\n').includes('日本語/🪨'), 'lsf lists odd names')
}

async function objects(scene: Scene, rclone: Rclone): Promise<void> {
  const at = `v:${scene.bucket}`
  await rclone('copyto', scene.material.small, `${at}/one`)
  await rclone('moveto', `${at}/one`, `${at}/two`)
  await scene.stored('two', scene.material.small)
  expect(!(await scene.keys()).includes('one'), 'what was moved is gone')
  const url = (await rclone('link', `${at}/two`)).toString().trim()
  sameBytes(await scene.fetch(url), await readFile(scene.material.small), 'what the link gave')
}

/** rclone names moments by whole seconds or finer, and shows them in names by milliseconds. */
async function past(scene: Scene, rclone: Rclone): Promise<void> {
  const at = `v:${scene.bucket}`
  await rclone('backend', 'versioning', at, 'Enabled')
  const file = join(scene.dir, 'diary.txt')
  await writeFile(file, 'first')
  await rclone('copyto', file, `${at}/past/diary.txt`)
  await sleep(1100)
  const instant = new Date().toISOString()
  await sleep(1100)
  await appendFile(file, ', second')
  await rclone('copyto', file, `${at}/past/diary.txt`)
  await rclone('delete', `${at}/past`)
  const listed = (await rclone('lsf', '--s3-versions', `${at}/past`)).toString().trim().split('\n')
  expect(listed.length === 2, `both versions are listed, not ${listed.join(' ')}`)
  const bodies = []
  for (const name of listed) bodies.push((await rclone('cat', '--s3-versions', `${at}/past/${name}`)).toString())
  expect(bodies.sort().join('|') === 'first|first, second', 'both versions are read')
  const then = (await rclone('cat', '--s3-version-at', instant, `${at}/past/diary.txt`)).toString()
  expect(then === 'first', `as of ${instant} the first version is read`)
  const now = (await rclone('lsf', `${at}/past`)).toString()
  expect(now === '', 'now nothing is there')
}

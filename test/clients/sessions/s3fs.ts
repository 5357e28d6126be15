/** s3fs: a bucket as a directory, which takes FUSE. libcurl finds names under `localhost` by itself: buckets by host name. */
import { existsSync } from 'node:fs'
import { appendFile, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { treeRegion } from '../../support/tree-server.ts'
import { findProgram } from '../support/commands.ts'
import { sameBytes, sameFile } from '../support/material.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { plantTree, sameTree } from '../support/tree.ts'

export const s3fs: ClientSession = {
  name: 's3fs',
  does: 'mount, write (20 MiB in parts), read, append, rename files and directories, odd names, list, remove; mounted anew, the same bytes',
  needs: '`url=http://localhost:PORT`, `endpoint=REGION`, `sigv4`; buckets by host name, as is its default',
  async find() {
    if (!existsSync('/dev/fuse') || findProgram('fusermount') === undefined) return { absent: 'no FUSE' }
    return findClient({ name: 's3fs', version: ['--version'], pattern: / V(\S+)/, run })
  },
}

async function run(scene: Scene, command: string): Promise<void> {
  await scene.makeBucket()
  const { accessKeyId, secretAccessKey } = scene.credentials
  const [password, mounted] = [join(scene.dir, 'passwd'), join(scene.dir, 'mounted')]
  await writeFile(password, `${accessKeyId}:${secretAccessKey}`, { mode: 0o600 })
  await mkdir(mounted)
  const options = [`url=http://localhost:${scene.port}`, `endpoint=${treeRegion}`, `passwd_file=${password}`]
  const more = ['sigv4', 'multipart_size=10', `tmpdir=${scene.dir}`]
  const within = async (work: () => Promise<void>) => {
    await scene.call(command, [scene.bucket, mounted, ...[...options, ...more].flatMap((one) => ['-o', one])])
    try {
      await work()
    } finally {
      await scene.call('fusermount', ['-u', mounted])
    }
  }
  await within(() => write(scene, mounted))
  await scene.stored('large', scene.material.large)
  await scene.inParts('large')
  await within(() => read(scene, mounted))
}

async function write(scene: Scene, mounted: string): Promise<void> {
  const { small, large } = scene.material
  await plantTree(join(mounted, 'tree'), scene.material)
  await copyFile(large, join(mounted, 'large'))
  await copyFile(small, join(mounted, 'small'))
  await appendFile(join(mounted, 'small'), 'and more')
  await rename(join(mounted, 'small'), join(mounted, 'renamed'))
  await rename(join(mounted, 'tree', 'sub'), join(mounted, 'tree', 'moved'))
}

async function read(scene: Scene, mounted: string): Promise<void> {
  const { small, large } = scene.material
  await sameFile(join(mounted, 'large'), large)
  const wanted = Buffer.concat([await readFile(small), Buffer.from('and more')])
  sameBytes(await readFile(join(mounted, 'renamed')), wanted, 'the file appended to')
  const copy = join(scene.dir, 'tree')
  await plantTree(copy, scene.material)
  await rename(join(copy, 'sub'), join(copy, 'moved'))
  await sameTree(join(mounted, 'tree'), copy)
  await rm(join(mounted, 'tree'), { recursive: true })
  const left = (await readdir(mounted)).sort().join(' ')
  expect(left === 'large renamed', `what was removed is gone, not ${left}`)
}

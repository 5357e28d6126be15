import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sameBytes, sameFile } from '../support/material.ts'
import { findClient } from '../support/program.ts'
import type { Scene } from '../support/scene.ts'
import { type ClientSession, expect } from '../support/session.ts'
import { plantTree, sameTree } from '../support/tree.ts'

export const s5cmd: ClientSession = {
  name: 's5cmd',
  does: 'mb, cp (20 MiB in parts), cat, pipe, ls, sync both ways with odd names, mv, presign, bucket-version, `ls --all-versions`, `--version-id`, rm, rb',
  needs: '`--endpoint-url`',
  find: () => findClient({ name: 's5cmd', version: ['version'], pattern: /v?(\d[^\s-]*)/, run }),
}

async function run(scene: Scene, command: string): Promise<void> {
  const { small, large } = scene.material
  const s5cmd = async (args: readonly string[], input?: Uint8Array) =>
    (await scene.call(command, ['--endpoint-url', scene.endpoint, ...args], input && { input })).stdout
  const at = `s3://${scene.bucket}`
  await s5cmd(['mb', at])
  await s5cmd(['cp', '--part-size', '8', large, `${at}/large`])
  await scene.stored('large', large)
  await scene.inParts('large')
  await s5cmd(['cp', `${at}/large`, 'back'])
  await sameFile(join(scene.dir, 'back'), large)
  await s5cmd(['pipe', `${at}/small`], await readFile(small))
  sameBytes(await s5cmd(['cat', `${at}/small`]), await readFile(small), 'cat')
  await s5cmd(['mv', `${at}/small`, `${at}/moved`])
  await scene.stored('moved', small)
  const url = (await s5cmd(['presign', `${at}/moved`])).toString().trim()
  sameBytes(await scene.fetch(url), await readFile(small), 'what the presigned address gave')

  const [here, back] = [join(scene.dir, 'tree'), join(scene.dir, 'tree-back')]
  await plantTree(here, scene.material)
  await s5cmd(['sync', `${here}/`, `${at}/tree/`])
  await s5cmd(['sync', `${at}/tree/*`, `${back}/`])
  await sameTree(back, here)
  await versions(scene, s5cmd, at)
  await s5cmd(['rm', '--all-versions', `${at}/*`])
  await s5cmd(['rb', at])
}

type S5cmd = (args: readonly string[], input?: Uint8Array) => Promise<Buffer>

async function versions(scene: Scene, s5cmd: S5cmd, at: string): Promise<void> {
  await s5cmd(['bucket-version', '--set', 'Enabled', at])
  await s5cmd(['cp', scene.material.small, `${at}/v`])
  await writeFile(join(scene.dir, 'newer'), 'newer')
  await s5cmd(['cp', 'newer', `${at}/v`])
  // Its JSON leaves out which version a line is of; the last word of its text does not.
  const lines = (await s5cmd(['ls', '--all-versions', `${at}/v`])).toString().trim().split('\n')
  expect(lines.length === 2, 'both versions are listed')
  const old =
    lines
      .find((line) => / 1024 /.test(line))
      ?.trim()
      .split(/ +/)
      .at(-1) ?? ''
  const body = await s5cmd(['cat', '--version-id', old, `${at}/v`])
  sameBytes(body, await readFile(scene.material.small), 'the older version')
}

/** Installs the packed packages as people do. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packAll } from '../pack.mjs'

/** @returns a project in `scratch` with `varve` and its parts */
export async function installPacked(scratch) {
  const packed = await packAll(scratch)
  const project = join(scratch, 'project')
  const tarballs = packed
    .filter(({ name }) => !['@varve/bench', '@varve/console'].includes(name))
    .map(({ filename }) => join(scratch, filename))
  install(project, tarballs)
  if (!existsSync(join(project, 'node_modules/varve'))) throw new Error('The packages cannot be installed.')
  return project
}

/** Installs packages in a folder that is no workspace of ours, although npm says so in the environment of its scripts. */
export function install(folder, packages) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true }))
  const { npm_config_local_prefix: _, ...env } = process.env
  const args = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]
  const shell = process.platform === 'win32'
  const { status } = spawnSync('npm', args, { cwd: folder, env, shell, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('npm install failed.')
}

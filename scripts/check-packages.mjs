/** Checks the tarballs that would be published: their manifests, and the types that each way to resolve a module finds. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packAll } from './pack.mjs'

/** The bench is a program, and has no CommonJS. The console is a page, and has no types. */
const profiles = { '@varve/bench': ['--profile', 'esm-only'] }

const scratch = mkdtempSync(join(tmpdir(), 'varve-pack-'))
try {
  for (const { name, filename } of await packAll(scratch)) {
    const tarball = join(scratch, filename)
    check('publint', '--strict', tarball)
    if (name !== '@varve/console') check('attw', ...(profiles[name] ?? []), tarball)
  }
} finally {
  rmSync(scratch, { recursive: true })
}

function check(tool, ...args) {
  const shell = process.platform === 'win32'
  const { status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8', shell })
  if (status === 0) return
  console.error(`${tool} ${args.join(' ')}\n${stdout}${stderr}`)
  process.exitCode = 1
}

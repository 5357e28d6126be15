/**
 * What servers for tests cost: their import, their start until the first answer, and a reset after two objects. In each round, every
 * server runs once, in a process of its own.
 *
 *     npm run suite bench-test-servers -- --rivals DIR [--rounds 9] [--resets 200]
 *
 * `DIR` has the others in its node_modules: npm install --prefix DIR s3rver fauxqs miniflare @aws-sdk/client-s3. Those that it lacks,
 * or that this Node cannot run, are left out.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPacked } from './pack/install.mjs'

const { rivals, rounds, resets } = parseArgs({
  options: {
    rivals: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    resets: { type: 'string', default: '200' },
  },
}).values
if (rivals === undefined) throw new Error('--rivals DIR names the directory with the others in its node_modules.')

const programs = fileURLToPath(new URL('../bench/rivals/test-servers', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'varve-test-servers-'))
try {
  const own = await installPacked(scratch)
  const others = join(scratch, 'others')
  const theirs = join(resolve(rivals), 'node_modules')
  // The client is the same for all. Each server has the versions of its own dependencies.
  cpSync(theirs, join(own, 'node_modules'), { recursive: true, force: false })
  mkdirSync(others)
  symlinkSync(theirs, join(others, 'node_modules'))
  for (const home of [own, others]) cpSync(programs, join(home, 'test-servers'), { recursive: true })
  const homeOf = (name) => (name === 'varve' ? own : others)
  const names = ['varve', 's3rver', 'fauxqs', 'miniflare'].filter((name) => measured(homeOf(name), name) !== undefined)
  const all = new Map(names.map((name) => [name, []]))
  for (let round = 0; round < Number(rounds); round++) {
    for (const name of names) {
      const one = measured(homeOf(name), name)
      if (one === undefined) console.error(`${name} failed in round ${round + 1}, which does not count for it.`)
      else all.get(name).push(one)
    }
  }
  print(all)
} finally {
  rmSync(scratch, { recursive: true })
}

function measured(cwd, name) {
  const how = { cwd, encoding: 'utf8', timeout: 120_000 }
  const { status, stdout } = spawnSync(process.execPath, ['test-servers/measure.mjs', name, resets], how)
  return status === 0 ? JSON.parse(stdout.trim().split('\n').at(-1)) : undefined
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

function print(all) {
  console.log('Medians, in milliseconds; processor time in brackets.\n')
  console.log('| Server | Import | Start, until the first answer | Reset |\n|---|---|---|---|')
  for (const [name, found] of all) {
    const both = (part) =>
      `${median(found.map((one) => one[part].wall)).toFixed(0)} (${median(found.map((one) => one[part].processor)).toFixed(0)})`
    console.log(
      `| ${name} | ${both('load')} | ${both('start')} | ${median(found.map((one) => one.reset)).toFixed(2)} |`,
    )
  }
}

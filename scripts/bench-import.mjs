/**
 * Processor time of importing the packed packages, beside servers of others: in each round, every module is imported once, by a
 * process of its own.
 *
 *     npm run suite bench-import -- [--rounds 20] [--rivals DIR]
 *
 * `DIR` has the rivals in its node_modules: npm install --prefix DIR s3rver fauxqs miniflare. Modules that it lacks, or
 * that this Node cannot import, are left out.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { installPacked } from './pack/install.mjs'

const { rounds, rivals } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, rivals: { type: 'string' } },
}).values

const own = [
  `import 'varve'`,
  `import 'varve/http'`,
  `import 'varve/metrics'`,
  `import 'varve/testing'`,
  `import { memoryStore } from 'varve'; await (await memoryStore()).close()`,
  `import { startS3 } from 'varve/testing'; await (await startS3()).stop()`,
]
/** Modules are imported before it runs, as `import` demands. */
const report = 'const used = process.cpuUsage(); console.log((used.user + used.system) / 1000)'
const others = ['s3rver', 'fauxqs', 'miniflare']

const scratch = mkdtempSync(join(tmpdir(), 'varve-import-'))
try {
  const project = await installPacked(scratch)
  const programs = [
    { source: '', cwd: project },
    ...own.map((source) => ({ source, cwd: project })),
    ...(rivals === undefined ? [] : others.map((name) => ({ source: `import '${name}'`, cwd: resolve(rivals) }))),
  ].map((program, i) => ({ ...program, file: join(program.cwd, `bench-import-${i}.mjs`) }))
  for (const { source, file } of programs) writeFileSync(file, `${source}\n${report}\n`)
  const usable = programs.filter((program) => measured(program) !== undefined)
  const times = new Map(usable.map((program) => [program, []]))
  for (let round = 0; round < Number(rounds); round++) {
    for (const program of usable) times.get(program).push(measured(program))
  }
  print(times)
  for (const { file } of programs) rmSync(file)
} finally {
  rmSync(scratch, { recursive: true })
}

/** Milliseconds of processor time of a process, or `undefined` if the program does not run. */
function measured({ file, cwd }) {
  const { status, stdout } = spawnSync(process.execPath, [file], { cwd, encoding: 'utf8' })
  return status === 0 ? Number(stdout.trim().split('\n').at(-1)) : undefined
}

function print(times) {
  const [[, empty]] = times
  console.log('median of whole processes, and of what they take more than an empty one in the same round, in ms')
  for (const [{ source }, all] of times) {
    const more = all.map((time, round) => time - empty[round])
    console.log(
      `${median(all).toFixed(0).padStart(6)} ${median(more).toFixed(0).padStart(6)}  ${source || '(nothing)'}`,
    )
  }
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}

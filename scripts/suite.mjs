/**
 * Builds and runs one long suite or measurement:
 *
 *     npm run suite                          lists them
 *     npm run suite power                    runs one
 *     npm run suite attacks -- --draws 100   with arguments of its own
 *
 * Variables of the environment that are set already count before those of the suite.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suites } from './suites.mjs'

const [name, ...args] = process.argv.slice(2)
const suite = name === undefined || !Object.hasOwn(suites, name) ? undefined : suites[name]
if (suite === undefined) list()
else process.exitCode = run(suite)

function list() {
  const width = Math.max(...Object.keys(suites).map((key) => key.length))
  for (const [key, { time, about }] of Object.entries(suites)) {
    console.log(`${key.padEnd(width)}  ${time.padStart(6)}  ${about}`)
  }
  if (name === undefined) return
  console.error(`There is no suite ${name}.`)
  process.exitCode = 2
}

function run({ run: [program, ...own], env = {}, needsTools = false }) {
  const options = { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' }
  for (const script of needsTools ? ['build', 'build:tools'] : ['build']) {
    const built = spawnSync('npm', ['run', '-s', script], options)
    if (built.status !== 0) return built.status ?? 1
  }
  const variables = { ...env, VARVE_SUITE: name, ...process.env }
  const { status, error } = spawnSync(program, [...own, ...args], { ...options, env: variables })
  if (error !== undefined) console.error(error.message)
  return status ?? 1
}

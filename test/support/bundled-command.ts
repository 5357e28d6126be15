/**
 * The command as it is published, bundled once for a run of the tests: it starts in a quarter of the time that the modules
 * of the build take.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the command. Start it with Node. */
    readonly varveCommand: string
  }
}

const root = new URL('../../', import.meta.url)
/** Node finds the dependencies of what lies here, and no tool reads it. */
const place = fileURLToPath(new URL('node_modules/.cache/', root))

/** Called by vitest before it starts the first test. @returns what it calls after the last one */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const packing: string = new URL('scripts/pack.mjs', root).href
  const { stageCommands } = (await import(packing)) as {
    stageCommands(name: string, folder: string): Promise<void>
  }
  await mkdir(place, { recursive: true })
  const folder = await mkdtemp(join(place, 'varve-'))
  await stageCommands('varve', folder)
  const command = join(folder, 'bin/varve.js')
  project.provide('varveCommand', command)
  // For programs that tests start.
  process.env['BUNDLED_VARVE'] = command
  return () => rm(folder, { recursive: true, force: true })
}

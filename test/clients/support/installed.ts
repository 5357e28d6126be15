/** What install.sh has put among the clients, besides programs. */
import { existsSync } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { call, clientsDirectory, findProgram } from './commands.ts'
import { programFile } from './sdk-session.ts'
import type { Absent } from './session.ts'

export const notInstalled: Absent = { absent: 'not installed' }

export async function versionOf(command: string, args: readonly string[]): Promise<string> {
  return (await call(command, args)).stdout.toString().trim()
}

/** The version of a module of Node in a folder of modules. */
export async function moduleVersion(modules: string, name: string): Promise<string | undefined> {
  const file = join(modules, 'node_modules', name, 'package.json')
  if (!existsSync(file)) return undefined
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { readonly version: string }
  return version
}

/** The program in Go, compiled in a folder that has its modules. */
export async function goProgram(folder: string, program: string): Promise<string | undefined> {
  const dir = join(clientsDirectory(), folder)
  if (!existsSync(join(dir, 'go.sum')) || findProgram('go') === undefined) return undefined
  await copyFile(programFile(program), join(dir, 'main.go'))
  await call('go', ['build', '-o', 'session', '.'], { cwd: dir })
  return join(dir, 'session')
}

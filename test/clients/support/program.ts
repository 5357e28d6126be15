/** Clients that are programs. They are found on the path and print their version. */
import { call, findProgram } from './commands.ts'
import type { Scene } from './scene.ts'
import type { Absent, Found } from './session.ts'

export interface Program {
  readonly name: string
  readonly version: readonly string[]
  /** Matches the output of its version command. The first group is the version. */
  readonly pattern: RegExp
  run(scene: Scene, command: string): Promise<void>
}

export async function findClient({ name, version, pattern, run }: Program): Promise<Found | Absent> {
  const command = findProgram(name)
  if (command === undefined) return { absent: 'not installed' }
  const { stdout, stderr } = await call(command, version)
  const output = pattern.exec(`${stdout.toString()}${stderr}`)?.[1]
  if (output === undefined) return { absent: `${name} is another program, or of another major version` }
  return { version: output, run: (scene) => run(scene, command) }
}

/** Clients that are libraries of Python, other than SDKs: a program each, which checks what it gets by itself. */
import { join } from 'node:path'
import { call, clientsDirectory, isExecutable } from './commands.ts'
import { programFile } from './sdk-session.ts'
import type { ClientSession } from './session.ts'

/** The programs share a module, which Python would compile into their folder. */
const noCache = ['-B']

export interface PythonClient extends Pick<ClientSession, 'name' | 'does' | 'needs'> {
  readonly program: string
  /** The key that must have come in parts; with a `/` at its end, at least one of the keys beneath it. */
  readonly large: string
}

export function pythonClient({ name, does, needs, program, large }: PythonClient): ClientSession {
  return {
    name,
    does,
    needs,
    async find() {
      const python = join(clientsDirectory(), 'py-tools', 'bin', 'python')
      if (!isExecutable(python)) return { absent: 'not installed' }
      const version = (await call(python, [...noCache, programFile(program), 'version'])).stdout.toString().trim()
      return {
        version,
        async run(scene) {
          await scene.makeBucket()
          const env = {
            VARVE_BUCKET: scene.bucket,
            VARVE_SMALL: scene.material.small,
            VARVE_LARGE: scene.material.large,
            VARVE_HOSTED_ENDPOINT: `http://localhost:${scene.port}`,
          }
          await scene.call(python, [...noCache, programFile(program)], { env })
          const keys = large.endsWith('/') ? (await scene.keys()).filter((key) => key.startsWith(large)) : [large]
          await Promise.any(keys.map((key) => scene.inParts(key)))
        },
      }
    },
  }
}

/** Commands of the system. */
import { execFile } from 'node:child_process'

/** Resolves with what it printed. @throws Error with what it complained of */
export function run(command: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${[command, ...args].join(' ')}: ${stderr || error.message}`))
    })
  })
}

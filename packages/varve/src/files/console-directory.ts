import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Bundlers would look for a name in the call. */
const packageName: string = '@varve/console'

/** Where the files of the console are: in the package `@varve/console`, or else beside this file. They may be absent. */
export function consoleDirectory(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`)), 'dist')
  } catch {
    // Not `new URL(…, import.meta.url)`: bundlers take that for a file to bundle.
    return join(dirname(fileURLToPath(import.meta.url)), 'console')
  }
}

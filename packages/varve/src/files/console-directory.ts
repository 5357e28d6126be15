import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the files of the console are: in the package `@varve/console`, or else beside this file. They may be absent. */
export function consoleDirectory(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@varve/console/package.json')), 'dist')
  } catch {
    return fileURLToPath(new URL('console', import.meta.url))
  }
}

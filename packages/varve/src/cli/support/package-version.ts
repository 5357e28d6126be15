/** The release that runs. */
import { createRequire } from 'node:module'

export function packageVersion(): string {
  // By its name: the published bundle lies elsewhere than this module.
  return (createRequire(import.meta.url)('varve/package.json') as { readonly version: string }).version
}

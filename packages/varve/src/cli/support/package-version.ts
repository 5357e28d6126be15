/** The release that runs. */
import { readFileSync } from 'node:fs'

export function packageVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

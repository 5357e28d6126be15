// Writes docs/config.schema.json, the JSON Schema of configuration files, from the options of varve serve; with --check, compares it.
import { readFile, writeFile } from 'node:fs/promises'
import { configSchema } from '../packages/varve/dist/cli/config/config-schema.js'
import { serveOptions } from '../packages/varve/dist/cli/serve/serve-command.js'

const page = new URL('../docs/config.schema.json', import.meta.url)
const text = `${JSON.stringify(configSchema(serveOptions()), null, 1)}\n`
if (process.argv.includes('--check')) {
  const written = await readFile(page, 'utf8').catch(() => '')
  if (written !== text) {
    console.error('docs/config.schema.json is not what the options of varve serve make: npm run docs')
    process.exitCode = 1
  }
} else await writeFile(page, text)

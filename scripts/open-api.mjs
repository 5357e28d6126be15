// Writes docs/openapi.json, the description of the control API, from the table of its operations; with --check, compares it.
import { readFile, writeFile } from 'node:fs/promises'
import { openApi } from '../packages/http/dist/control/open-api.js'
import { controlRows } from '../packages/http/dist/control/table.js'

const page = new URL('../docs/openapi.json', import.meta.url)
const text = `${JSON.stringify(openApi(controlRows), null, 1)}\n`
if (process.argv.includes('--check')) {
  const written = await readFile(page, 'utf8').catch(() => '')
  if (written !== text) {
    console.error('docs/openapi.json is not what the table of the control API makes: npm run docs')
    process.exitCode = 1
  }
} else await writeFile(page, text)

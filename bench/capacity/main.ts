/** `npm run suite capacity`: writes the tables of docs/scale.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { withTables } from './tables.ts'

const page = new URL('../../../docs/scale.md', import.meta.url)
writeFileSync(page, withTables(readFileSync(page, 'utf8')))

/**
 * Writes the reference of every public entry point into `docs/api`, from the declarations that people install. Fails when
 * a link is broken or a public symbol has no docstring.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, Converter, ReflectionKind } from 'typedoc'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const out = join(root, 'docs/api')

/** The public entry points: the file of each, and the name that people import. */
const entries = ['varve', 'core', 'http', 'adapters'].flatMap((folder) => {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
  return Object.entries(exports)
    .filter(([, target]) => target.types !== undefined)
    .map(([path, { types }]) => ({ name: posix.join(name, path), file: posix.join('packages', folder, types) }))
})

const app = await Application.bootstrap({
  name: 'Varve',
  entryPoints: entries.map(({ file }) => join(root, file)),
  tsconfig: join(here, 'tsconfig.json'),
  readme: join(here, 'front-page.md'),
  disableSources: true,
  excludePrivate: true,
  hideGenerator: true,
  includeHierarchySummary: false,
  logLevel: 'Warn',
  validation: { invalidLink: true, invalidPath: true, notExported: true, notDocumented: false },
})
/** typedoc calls a module after its file. */
app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
  if (!reflection.kindOf(ReflectionKind.Module)) return
  const entry = entries.find(({ file }) => file.replace(/^packages\/|(\/index)?\.d\.ts$/g, '') === reflection.name)
  if (entry !== undefined) reflection.name = entry.name
})

const project = await app.convert()
if (project === undefined) throw new Error('The declarations do not compile.')
app.validate(project)
const problems = [...withoutDocstring(project)]
rmSync(out, { recursive: true, force: true })
await app.generateDocs(project, out)
problems.push(...brokenLinks())
for (const problem of problems) console.error(problem)
if (problems.length > 0 || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1
else console.log(`docs/api: ${entries.length} entry points, every symbol documented, every link whole.`)

function* withoutDocstring({ children = [] }) {
  for (const module of children) {
    // Without its own, the comment of the file would count for every symbol that has none.
    if (!module.hasComment()) yield `${module.name} has no docstring with @module.`
    for (const symbol of module.children ?? []) {
      const isDocumented = symbol.hasComment() || symbol.signatures?.some((signature) => signature.hasComment())
      if (!isDocumented && !symbol.isReference()) yield `${module.name}: ${symbol.name} has no docstring.`
    }
  }
}

/** Every link of every page to a page or a place in one that is not there. */
function* brokenLinks() {
  const pages = new Map(
    readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.html'))
      .map((path) => [path, readFileSync(join(out, path), 'utf8')]),
  )
  for (const [path, html] of pages) {
    for (const [, href] of html.matchAll(/href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href)) continue
      const [file, anchor = ''] = href.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      const page = pages.get(target)
      const isThere =
        page === undefined ? existsSync(join(out, target)) : anchor === '' || page.includes(`id="${anchor}"`)
      if (!isThere) yield `${path}: broken link to ${href}`
    }
  }
}

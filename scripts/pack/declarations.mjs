/** Copies the types of a package: the declarations that its entry points reach, once for `import` and once for `require`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { bundledByName } from './packages.mjs'

const forms = [
  { script: '.js', types: '.d.ts' },
  { script: '.cjs', types: '.d.cts' },
]

/**
 * Writes below `dir/types`.
 * @returns the paths of the declarations of the entry points, without their endings, and the packages that they import
 */
export function writeDeclarations(one, dir) {
  const copied = new Map()
  const imported = new Set()
  const folders = [one, ...one.inlines.map((name) => bundledByName.get(name))]
  const reach = (path) => {
    if (copied.has(path)) return
    const declaration = readDeclaration(path)
    copied.set(path, declaration)
    for (const place of declaration.places) {
      const target = targetOf(path, place.name, one.inlines)
      if (target === undefined) imported.add(place.name)
      else reach(target)
    }
  }
  const entries = one.entries.map(({ subpath, module }) => {
    const path = join(one.dist, `${module}.d.ts`)
    reach(path)
    return { subpath, types: placed(path, folders) }
  })
  for (const [path, declaration] of copied) {
    for (const form of forms) {
      const to = join(dir, `${placed(path, folders)}${form.types}`)
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(
        to,
        rewritten(path, declaration, (name) => {
          const target = targetOf(path, name, one.inlines)
          return target && `${pathFrom(to, join(dir, placed(target, folders)))}${form.script}`
        }),
      )
    }
  }
  return { entries, imported }
}

/** A declaration and the places where it names a module. */
function readDeclaration(path) {
  const text = readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*$\n?/m, '')
  const places = []
  visit(parseAst(text, { lang: 'dts' }), ({ type, source, moduleReference }) => {
    if (moduleReference?.type === 'TSExternalModuleReference')
      throw new Error(`${path}: import = require() is not known here.`)
    if (typeof source?.value === 'string') places.push({ name: source.value, start: source.start, end: source.end })
    else if (type === 'TSImportType') throw new Error(`${path}: an import type without a module.`)
  })
  return { text, places }
}

function visit(node, see) {
  if (Array.isArray(node)) return node.forEach((child) => visit(child, see))
  if (typeof node !== 'object' || node === null) return
  see(node)
  for (const child of Object.values(node)) visit(child, see)
}

/** The declaration that a module name means, if it becomes part of the package. */
function targetOf(path, name, inlines) {
  if (name.startsWith('.')) return join(dirname(path), name.replace(/\.[tj]s$/, '.d.ts'))
  const owner = inlines.find((inlined) => name === inlined || name.startsWith(`${inlined}/`))
  if (owner === undefined) return undefined
  const { dist, entries } = bundledByName.get(owner)
  const { module } = entries.find(({ subpath }) => subpath === `.${name.slice(owner.length)}`)
  return join(dist, `${module}.d.ts`)
}

/** Where a declaration lies in the published package, without its ending: below the folder of its own package. */
function placed(path, folders) {
  const { name, dist } = folders.find((folder) => path.startsWith(folder.dist + sep))
  return join('types', name.replace(/^@.*\//, ''), relative(dist, path).replace(/\.d\.ts$/, ''))
}

function pathFrom(file, target) {
  const path = relative(dirname(file), target).replaceAll(sep, '/')
  return path.startsWith('.') ? path : `./${path}`
}

function rewritten(path, { text, places }, nameOf) {
  let [result, from] = ['', 0]
  for (const { name, start, end } of [...places].sort((one, other) => one.start - other.start)) {
    result += text.slice(from, start) + `'${nameOf(name) ?? name}'`
    from = end
  }
  return result + text.slice(from)
}

/** Loaded before a program (`--import`): it then finds no addon for locks, as on a platform for which that has no build. */
import { register } from 'node:module'

const hooks = `
  export async function resolve(specifier, context, next) {
    if (specifier === 'fs-native-extensions') throw new Error('There is no build of the addon for this platform.')
    return next(specifier, context)
  }`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)

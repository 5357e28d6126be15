import { isHeaderName } from '@varve/core'

/** Whether this is the name of a header, in lower case as signatures list it. */
export const isLowerCaseName = (name: string): boolean => isHeaderName(name) && name === name.toLowerCase()

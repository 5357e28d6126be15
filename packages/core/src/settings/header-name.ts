/** A token of RFC 9110: what the name of a header can be. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Whether a header can have this name, in whatever case. */
export const isHeaderName = (name: string): boolean => token.test(name)

/** Each 1024 times the one before. */
export const sizeUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

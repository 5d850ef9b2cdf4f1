import { Command } from 'commander';
import { COMMAND_FILES, main } from './main.js';

it('knows in which file each command is', async () => {
  for (const { names, add } of COMMAND_FILES) {
    const program = new Command();
    await add(program);
    expect(program.commands.map((command) => command.name()).sort()).toEqual([...names].sort());
  }
});

it('prints the release', async () => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  await main(['node', 'countersign', '--version']);
  expect(write.mock.calls.join('')).toMatch(/^\d+\.\d+\.\d+\n/);
  write.mockRestore();
});

import { Command } from 'commander';
import { COMMAND_FILES } from './main.js';

it('knows in which file each command is', async () => {
  for (const { names, add } of COMMAND_FILES) {
    const program = new Command();
    await add(program);
    expect(program.commands.map((command) => command.name()).sort()).toEqual([...names].sort());
  }
});

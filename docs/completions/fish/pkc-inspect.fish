complete -c pkc-inspect -w 'processkit-cli inspect'
